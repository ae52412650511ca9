import { describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { GetTaskResultV2Schema } from '@modelcontextprotocol/ext-tasks/core/v2';
import { connectClient, eventOf, events, lease, mcpRaw, rest } from '../api.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

const MODERN = '2026-07-28';
interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** One call, from the client's side: how far it is, what it asks for, how it ends early, how it outlives its answer. */
export const calls = (zone: () => ZoneUnderTest) =>
  describe('calls', () => {
    /** A raw request of the modern era. */
    const modern = (
      bearer: string,
      method: string,
      params: Record<string, unknown>,
      capabilities: object = {},
    ) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientCapabilities': capabilities,
        'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
      };
      const name = String(params['name'] ?? params['taskId']);
      return mcpRaw(
        zone(),
        bearer,
        { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
        {
          'mcp-protocol-version': MODERN,
          'mcp-method': method,
          'mcp-name': name,
        },
      );
    };

    test.each([false, true])(
      'a restart tells its steps to the client; modern era: %s',
      async (modern_era) => {
        const { bearer } = await lease(zone(), 'InfraOpsControl');
        const client = await connectClient(zone(), bearer, { modern: modern_era });
        const seen: Progress[] = [];
        const result = await client.callTool(
          { name: 'hub_restart_service', arguments: { service: 'worker' } },
          { onprogress: (step) => seen.push(step) },
        );
        expect(result.isError ?? false).toBe(false);
        expect(seen.map(({ progress }) => progress)).toEqual([0, 1, 2, 3]);
        expect(seen[0]).toMatchObject({ total: 3, message: 'stopping worker' });
        await client.close();
      },
    );

    test('an argument that is missing is asked for, and the call runs with the answer', async () => {
      const { bearer } = await lease(zone(), 'InfraOpsControl');
      const client = new Client(
        { name: 'e2e', version: '1.0.0' },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: MODERN } } },
      );
      const asked: unknown[] = [];
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params);
        return { action: 'accept', content: { service: 'worker' } };
      });
      const headers = { authorization: `Bearer ${bearer}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(zone().connection().mcp_url), { requestInit: { headers } }),
      );
      const result = await client.callTool({ name: 'hub_restart_service', arguments: { dry_run: true } });
      expect(result.structuredContent).toMatchObject({ service: 'worker', dry_run: true });
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatchObject({ mode: 'form', requestedSchema: { required: ['service'] } });
      await client.close();
    });

    test('a state of another bearer is refused, on any replica, and recorded', async () => {
      const [own, other] = [await lease(zone(), 'InfraOpsControl'), await lease(zone(), 'InfraOpsControl')];
      const call = { name: 'hub_restart_service', arguments: { dry_run: true } };
      const form = { elicitation: {} };
      const first = (await modern(own.bearer, 'tools/call', call, form)).json as any;
      const retry = {
        ...call,
        requestState: first.result.requestState,
        inputResponses: { arguments: { action: 'accept', content: { service: 'worker' } } },
      };
      const foreign = (await modern(other.bearer, 'tools/call', retry, form)).json as any;
      expect(foreign.error.code).toBe(-32602);
      expect((await eventOf(zone(), foreign.error.data.audit_event_id)).lease_id).toBe(
        other.session.session_id,
      );
      const done = (await modern(own.bearer, 'tools/call', retry, form)).json as any;
      expect(done.result.structuredContent).toMatchObject({ service: 'worker' });
    });

    test('a restart goes on as a task for a client that takes tasks; the record knows it', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsControl');
      const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
      const call = { name: 'hub_restart_service', arguments: { service: 'worker' } };
      const started = ((await modern(bearer, 'tools/call', call, tasks)).json as any).result;
      expect(started).toMatchObject({ resultType: 'task', status: 'working' });
      const { taskId } = started;
      const done = await until('the task to end', async () => {
        const { result } = (await modern(bearer, 'tasks/get', { taskId }, tasks)).json as any;
        expect(GetTaskResultV2Schema.safeParse(result).success).toBe(true);
        return result.status === 'working' ? undefined : result;
      });
      expect(done).toMatchObject({
        status: 'completed',
        statusMessage: 'it stayed up',
        result: { structuredContent: { service: 'worker', healthy: true } },
      });
      const event_id = done.result._meta['io.adaos/audit_event_id'];
      expect(await eventOf(zone(), event_id)).toMatchObject({
        status: 'succeeded',
        lease_id: session.session_id,
      });
      const shown = await rest(zone())<{ run: object }>('GET', `/runs/${taskId}`);
      expect(shown.body.run).toMatchObject({ status: 'completed', event_id });
      const other = await lease(zone(), 'InfraOpsControl');
      const foreign = (await modern(other.bearer, 'tasks/get', { taskId }, tasks)).json as any;
      expect(foreign.error.code).toBe(-32602);
    });

    test.each(['disconnected', 'cancelled'])(
      'a write whose client %s is seen to its end, and its slot is free again',
      async (how) => {
        const { bearer, session } = await lease(zone(), 'InfraOpsControl');
        const gone = new AbortController();
        const headers = {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        };
        const params = {
          name: 'hub_restart_service',
          arguments: { service: 'worker' },
          _meta: { progressToken: 7 },
        };
        const response = await fetch(zone().connection().mcp_url, {
          method: 'POST',
          headers,
          body: JSON.stringify({ jsonrpc: '2.0', id: 77, method: 'tools/call', params }),
          signal: gone.signal,
        });
        // Its first step is here: the hub is at it, and sees it to its end.
        expect(response.headers.get('content-type')).toBe('text/event-stream');
        if (how === 'disconnected') gone.abort();
        else {
          const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } };
          expect((await mcpRaw(zone(), bearer, cancel)).status).toBe(202);
          expect(await response.text()).not.toContain('"id":77');
        }
        const event = await until('the record', async () =>
          (await events(zone(), `lease_id=${session.session_id}&tool_id=hub.restart_service`)).find(
            ({ status }) => status !== 'open',
          ),
        );
        // A write that has begun is never half undone: the service is up again.
        expect(['succeeded', 'cancelled']).toContain(event.status);
        await until('the slot to be free', async () => {
          const again = await mcpRaw(zone(), bearer, {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'hub_restart_service', arguments: { service: 'worker', dry_run: true } },
          });
          return (again.json as any).result.isError ? undefined : true;
        });
      },
    );
  });
