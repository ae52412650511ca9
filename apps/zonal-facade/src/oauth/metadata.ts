import type { Express } from 'express';
import type { IncomingMessage } from 'node:http';
import type { TrustFacts } from '@adaos/contracts';
import { sendJson } from '../answer.js';
import { MCP_PATH } from '../paths.js';
import { labelRoute } from '../route-label.js';
import { WELL_KNOWN } from './challenge.js';

/** With the path of the endpoint and without, and each with a slash behind: a redirect between them is one more thing to go wrong (F07). */
const PATHS = [WELL_KNOWN, `${WELL_KNOWN}${MCP_PATH}`].flatMap((path) => [path, `${path}/`]);

/** Anybody may read it, in any page: it says nothing that a 401 does not. It may be kept for a few minutes. */
const PUBLIC = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=300',
} as const;

/** RFC 9728, section 2, as small as a client can do with. */
const metadataOf = (oauth: NonNullable<TrustFacts['oauth']>) => ({
  resource: oauth.resource,
  authorization_servers: oauth.authorization_servers,
  scopes_supported: oauth.default_scopes,
  bearer_methods_supported: ['header'],
  resource_name: 'AdaOS Root MCP',
});

/** Is this a question for the metadata document? Then the page that asks may be of any origin. */
export function isMetadata(req: IncomingMessage): boolean {
  const path = (req.url ?? '').split('?', 1)[0]!;
  return PATHS.includes(path) && ['GET', 'HEAD', 'OPTIONS'].includes(req.method ?? '');
}

/** Serves the protected resource metadata in OAuth mode. In lease mode these paths are like any other that is not there: a JSON 404. */
export function serveMetadata(app: Express, oauth: () => TrustFacts['oauth']): void {
  for (const path of PATHS) {
    app.all(path, (req, res, next) => {
      const facts = oauth();
      if (!facts) return next();
      labelRoute(req, WELL_KNOWN);
      // Express answers a HEAD by the handler of GET, node leaves its body out.
      if (req.method !== 'GET' && req.method !== 'HEAD') return next();
      sendJson(res, 200, metadataOf(facts), PUBLIC);
    });
  }
}
