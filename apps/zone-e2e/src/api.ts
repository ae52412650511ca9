import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Envelope, SessionLease, StoredEvent } from '@adaos/contracts';
import type { ZoneUnderTest } from './zone-under-test.js';

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T & {
    error?: { code: string; message: string; details?: Record<string, unknown> };
    audit_event_id?: string;
  };
  readonly headers: Headers;
}

/** REST as an operator or a lease would use it. */
export function rest(zone: ZoneUnderTest, token: string = zone.connection().operator_token) {
  return async <T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> => {
    const response = await fetch(`${zone.facade()}/v1/root/mcp${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    return {
      status: response.status,
      body: (await response.json()) as Answer<T>['body'],
      headers: response.headers,
    };
  };
}

/** Issues a lease on the demo hub and answers its bearer. */
export async function lease(
  zone: ZoneUnderTest,
  capability_profile: string,
  more: Record<string, unknown> = {},
) {
  const { target_id } = zone.connection();
  const answer = await rest(zone)<{ bearer: string; session: SessionLease }>('POST', '/sessions', {
    target_id,
    capability_profile,
    ...more,
  });
  if (answer.status !== 200) throw new Error(`lease not issued: ${JSON.stringify(answer.body)}`);
  return { bearer: answer.body.bearer, session: answer.body.session };
}

/** One governed call over REST. */
export async function callTool(
  zone: ZoneUnderTest,
  bearer: string,
  tool_id: string,
  args: unknown = {},
  more: Record<string, unknown> = {},
) {
  const answer = await rest(zone, bearer)<Envelope>('POST', '/call', { tool_id, arguments: args, ...more });
  return answer.body as Envelope;
}

/** A raw MCP request of the 2025 era, as a client without our SDK would send it. */
export async function mcpRaw(
  zone: ZoneUnderTest,
  bearer: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${zone.facade()}/v1/root/mcp`, {
    method: 'POST',
    headers: {
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith('{') ? (JSON.parse(text) as Record<string, never>) : null,
  };
}

/** `tools/call` over raw MCP. */
export const mcpCall = (
  zone: ZoneUnderTest,
  bearer: string,
  name: string,
  args?: unknown,
  headers?: Record<string, string>,
) =>
  mcpRaw(
    zone,
    bearer,
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, ...(args !== undefined && { arguments: args }) },
    },
    headers,
  );

/** The official client, connected with a URL and a bearer and nothing else. */
export async function connectClient(zone: ZoneUnderTest, bearer: string, options: { modern?: boolean } = {}) {
  const client = new Client(
    { name: 'e2e', version: '1.0.0' },
    options.modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${zone.facade()}/v1/root/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${bearer}` } },
    }),
  );
  return client;
}

/** The stored event of that id, read by the operator. Waits for the record to reach the table. */
export async function eventOf(zone: ZoneUnderTest, event_id: string): Promise<StoredEvent> {
  const { until } = await import('./zone-under-test.js');
  return until(`event ${event_id}`, async () => {
    const { body } = await rest(zone)<{ events: StoredEvent[] }>('GET', `/audit?event_id=${event_id}`);
    return body.events[0];
  });
}

/** Events that match a filter, newest first. */
export async function events(zone: ZoneUnderTest, filter: string): Promise<StoredEvent[]> {
  const { body } = await rest(zone)<{ events?: StoredEvent[] }>('GET', `/audit?limit=200&${filter}`);
  if (!body.events) throw new Error(`the record could not be read: ${JSON.stringify(body.error)}`);
  return body.events;
}
