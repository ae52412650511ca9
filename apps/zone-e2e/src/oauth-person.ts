import {
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { DESKTOP_CLIENT } from '@adaos/testing/identity-provider';
import type { IdentityZone } from './identity-zone.js';

/** Protected resource metadata (RFC 9728). */
export const METADATA = '/.well-known/oauth-protected-resource';
/** Every spelling a client tries for metadata we do not have. */
export const NOT_OURS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/',
  '/.well-known/oauth-authorization-server/v1/root/mcp',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/v1/root/mcp',
  '/v1/root/mcp/.well-known/openid-configuration',
  '/v1/root/mcp/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/mcp',
];
/** Where a client may look for it. */
export const OF_THE_RESOURCE = [
  METADATA,
  `${METADATA}/`,
  `${METADATA}/v1/root/mcp`,
  `${METADATA}/v1/root/mcp/`,
];

/** A client of the SDK that signs in as a person would, without a browser. */
export function desktop(zone: IdentityZone) {
  const asked: URL[] = [];
  let tokens: StoredOAuthTokens | undefined;
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl: DESKTOP_CLIENT.redirect_uri,
    clientMetadata: { redirect_uris: [DESKTOP_CLIENT.redirect_uri], client_name: 'desktop' },
    clientInformation: () => ({ client_id: DESKTOP_CLIENT.client_id, issuer: zone.idp.issuer }),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    redirectToAuthorization: (url) => void asked.push(url),
    saveCodeVerifier: (saved) => void (verifier = saved),
    codeVerifier: () => verifier,
  };
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(zone.mcp_url), { authProvider: provider });
  return { asked, provider, transport, token: () => tokens };
}

/** Follows the provider's redirects with its cookies until it sends the browser back; answers where to. */
export async function signInAt(url: URL): Promise<URL> {
  const jar = new Map<string, string>();
  let at = url;
  for (let hop = 0; hop < 12; hop++) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(';');
      jar.set(pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1));
    }
    const next = new URL(response.headers.get('location') ?? 'about:blank', at);
    if (next.origin !== url.origin) return next;
    at = next;
  }
  throw new Error(`the provider never came back from ${url.href}`);
}
