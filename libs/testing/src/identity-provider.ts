import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import { Provider, type Configuration } from 'oidc-provider';

/** Clients the provider knows. `zone` signs operators in and introspects, `robot` gets tokens for itself, `desktop` is a public MCP client. */
export const ZONE_CLIENT = { client_id: 'zone', client_secret: 'zone-secret-of-32-characters-long' } as const;
export const ROBOT_CLIENT = {
  client_id: 'robot',
  client_secret: 'robot-secret-of-32-characters-lon',
} as const;
export const DESKTOP_CLIENT = {
  client_id: 'desktop',
  redirect_uri: 'http://127.0.0.1:5999/callback',
} as const;

export interface ProviderOptions {
  /** Redirect URI of the zone's console. */
  readonly redirect_uri?: string;
  /** Scopes of every resource, besides the standard ones. */
  readonly scopes?: readonly string[];
}

/** A real OpenID provider and authorization server on this machine, with its behaviour in the test's hands. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Requests by path, also those that got no answer. */
  readonly hits: Map<string, number>;
  /** Who signs in, and with which further claims. */
  account: { sub: string; claims: Record<string, unknown> };
  /** How access tokens for a resource look, and what else they say. */
  tokens: { format: 'jwt' | 'opaque'; ttl_s: number; claims: Record<string, unknown> };
  /** True: every connection is cut before it is answered. */
  away: boolean;
  /** Replaces the signing key; the old one is published no more. */
  rotateKey(): Promise<void>;
  /** A JWT signed with the provider's own key, whatever is in it. `key_id` names another key in its header. */
  sign(
    claims: Record<string, unknown>,
    header?: { alg?: string; kid?: string; typ?: string },
  ): Promise<string>;
  /** An access token of the robot. Without `resource` it is for no resource in particular. */
  robotToken(scope: string, resource?: string): Promise<string>;
  revoke(token: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startIdentityProvider(options: ProviderOptions = {}): Promise<IdentityProvider> {
  const hits = new Map<string, number>();
  let handle: (req: IncomingMessage, res: ServerResponse) => void;
  const server = createServer((req, res) => {
    const path = (req.url ?? '').split('?', 1)[0]!;
    hits.set(path, (hits.get(path) ?? 0) + 1);
    if (idp.away) req.socket.destroy();
    else handle(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let key: { kid: string; private_key: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'] };
  let serial = 0;
  async function newProvider(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    key = { kid: `key-${++serial}`, private_key: privateKey };
    const jwk: JWK = { ...(await exportJWK(privateKey)), kid: key.kid, alg: 'RS256', use: 'sig' };
    const provider = new Provider(issuer, configuration(idp, options, jwk));
    const callback = provider.callback();
    handle = (req, res) => {
      if (req.url?.startsWith('/interaction/')) void signInAtOnce(provider, idp, req, res);
      else void callback(req, res);
    };
  }

  const form = async (
    path: string,
    { client_id, client_secret }: typeof ROBOT_CLIENT | typeof ZONE_CLIENT,
    body: Record<string, string>,
  ) => {
    const response = await fetch(issuer + path, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
      body: new URLSearchParams(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };

  const idp: IdentityProvider = {
    issuer,
    hits,
    account: { sub: 'ann', claims: {} },
    tokens: { format: 'jwt', ttl_s: 600, claims: {} },
    away: false,
    rotateKey: newProvider,
    sign: (claims, { alg = 'RS256', kid = key.kid, typ = 'JWT' } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid, typ }).sign(key.private_key),
    async robotToken(scope, resource) {
      const body = { grant_type: 'client_credentials', scope, ...(resource && { resource }) };
      return (await form('/token', ROBOT_CLIENT, body))['access_token'] as string;
    },
    async revoke(token) {
      await form('/token/revocation', ROBOT_CLIENT, { token });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  await newProvider();
  return idp;
}

function configuration(idp: IdentityProvider, options: ProviderOptions, jwk: JWK): Configuration {
  const { redirect_uri = 'http://127.0.0.1:5998/console/callback', scopes = [] } = options;
  return {
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['test-cookie-key'] },
    clients: [
      { ...ZONE_CLIENT, redirect_uris: [redirect_uri], response_types: ['code'] },
      { ...ROBOT_CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
      {
        client_id: DESKTOP_CLIENT.client_id,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: [DESKTOP_CLIENT.redirect_uri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub', 'roles', 'groups'] },
    // Put into the ID token, as most providers do for the claims an application asked for.
    conformIdTokenClaims: false,
    scopes: ['openid', ...scopes],
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...idp.account.claims }) }),
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: async (ctx) => {
      // Nobody is asked for consent: every scope that was asked for is granted.
      const { client, session, params, provider } = ctx.oidc;
      const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      const scope = String(params?.['scope'] ?? '');
      grant.addOIDCScope(scope);
      for (const resource of [params?.['resource']].flat())
        if (typeof resource === 'string') grant.addResourceScope(resource, scope);
      await grant.save();
      return grant;
    },
    ttl: {
      ClientCredentials: () => idp.tokens.ttl_s,
      AccessToken: 600,
      IdToken: 600,
      Session: 600,
      Grant: 600,
      Interaction: 600,
    },
    extraTokenClaims: () => idp.tokens.claims as never,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenTTL: idp.tokens.ttl_s,
          accessTokenFormat: idp.tokens.format,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  };
}

async function signInAtOnce(
  provider: Provider,
  idp: IdentityProvider,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  await provider.interactionDetails(req, res);
  // Native clients have to be consented to each time, whatever was granted before.
  await provider.interactionFinished(req, res, { login: { accountId: idp.account.sub }, consent: {} });
}
