import { BEARER_ENV, CONFIG_CLIENTS, clientConfig, serverNameOf, type ConfigClient } from '@adaos/contracts';
import type { Request, Response } from 'express';
import { sendJson } from '../answer.js';
import { MCP_PATH } from '../paths.js';
import { invalid } from '../refusing.js';
import { labelRoute } from '../route-label.js';
import { propertiesOf, queryArguments } from './arguments.js';
import { notFound, openAsk, refuseAsk, sendRestFailure, type RestEdge } from './edge.js';
import { callTool, viewed } from './resource.js';

export const CLIENT_CONFIG_PATH = `${MCP_PATH}/sessions/:session_id/client-config`;
/**
 * `GET /sessions/{id}/client-config?client=`: how one client reaches this zone with that lease. The text names an environment variable;
 * the bearer was shown once when the lease was issued and is not known here.
 */
export function clientConfigHandler(edge: RestEdge) {
  const properties = propertiesOf('hub.list_mcp_sessions');
  return async (req: Request, res: Response): Promise<void> => {
    labelRoute(req, CLIENT_CONFIG_PATH);
    const ask = await openAsk(edge, req, res);
    if (!ask) return;
    const query = new URL(req.url, 'http://edge').searchParams;
    const client = query.get('client');
    if (!isClient(client)) {
      const message = `/client must be one of ${CONFIG_CLIENTS.join(', ')}.`;
      return refuseAsk(edge, ask, 400, invalid(message, { path: '/client', rule: 'enum' }));
    }
    query.delete('client');
    const given = queryArguments(query, properties);
    if ('fault' in given) {
      const { message, ...details } = given.fault;
      return refuseAsk(edge, ask, 400, invalid(message, details));
    }
    const session_id = req.params['session_id'];
    const envelope = await callTool(edge, ask, 'hub.list_mcp_sessions', { ...given.args, session_id });
    if (!envelope) return;
    const { request_id, trace_id, audit_event_id } = envelope;
    const ids = { request_id, trace_id, audit_event_id };
    const found = viewed(envelope.result ?? {}, { entry_of: 'sessions', as: 'session', missing: '' });
    if (!found) return sendRestFailure(ask, { ...notFound('No such session.'), ...ids });
    const { target_id } = found['session'] as { target_id?: string };
    const config = clientConfig(client, {
      mcp_url: edge.mcp_url(),
      server_name: serverNameOf(target_id ?? ''),
      bearer_env: BEARER_ENV,
    });
    sendJson(res, 200, { ok: true, ...ids, ...config });
  };
}

const isClient = (value: string | null): value is ConfigClient =>
  (CONFIG_CLIENTS as readonly (string | null)[]).includes(value);
