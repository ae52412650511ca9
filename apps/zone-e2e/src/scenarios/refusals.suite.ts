import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { callTool, eventOf, events, lease, mcpCall, mcpRaw, rest } from '../api.js';
import { REFUSALS, type Leases, type Refusal } from './refusal-cases.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

/** Default deny: what is not allowed gets the code of the table, on MCP and REST alike, and an event each. */
export const refusals = (zone: () => ZoneUnderTest) =>
  describe('refusals', () => {
    let leases: Leases;

    beforeAll(async () => {
      const operator = rest(zone());
      const target = async (hub_id: string, environment: string, state: string) => {
        await operator('POST', '/targets', { hub_id, environment, subnet_id: 'demo-subnet' });
        if (state !== 'missing') await operator('POST', `/targets/hub:${hub_id}/skill`, { state });
        return (await lease(zone(), 'InfraOpsControl', { target_id: `hub:${hub_id}` })).bearer;
      };
      const revoked = await lease(zone(), 'InfraOpsRead');
      const expired = await lease(zone(), 'InfraOpsRead');
      leases = {
        read: (await lease(zone(), 'InfraOpsRead')).bearer,
        control: (await lease(zone(), 'InfraOpsControl')).bearer,
        production: await target('prod-1', 'production', 'enabled'),
        staging: await target('staging-1', 'staging', 'enabled'),
        disabled: await target('off-1', 'test', 'disabled'),
        missing: await target('bare-1', 'test', 'missing'),
        silent: await target('silent-1', 'test', 'enabled'),
        revoked: revoked.bearer,
        expired: expired.bearer,
      };
      await operator('POST', `/sessions/${revoked.session.session_id}/revoke`, { reason: 'test' });
      // Time can't be moved from outside: the row is, as if the deadline had passed.
      await zone().sql(
        `update leases set created_at = now() - interval '2 hours', deadline_at = now() - interval '1 hour' where session_id = '${expired.session.session_id}'`,
      );
    });

    const bearerOf = (as: Refusal['as']) =>
      as === 'nobody' ? '' : as === 'made_up' ? `mcp_${'x'.repeat(43)}` : leases[as];

    test.each(REFUSALS)(
      '$name → $code on REST, with its event',
      async ({ as, tool, args, headers, code, event }) => {
        const answer = await rest(zone(), bearerOf(as))<{ ok: boolean; status: string }>(
          'POST',
          '/call',
          { tool_id: tool, ...(args !== undefined && { arguments: args }) },
          headers,
        );
        expect(answer.body).toMatchObject({ ok: false, error: { code } });
        expect(answer.status).toBe(
          code.startsWith('lease_') || code === 'unauthenticated'
            ? 401
            : ['zone_mismatch', 'scope_mismatch'].includes(code)
              ? 403
              : 200,
        );
        const stored = await eventOf(zone(), answer.body.audit_event_id!);
        expect(stored).toMatchObject({ status: 'denied', error: { code }, ...event });
      },
    );

    test.each(REFUSALS)(
      '$name → $code on MCP as $mcp, with its event',
      async ({ as, tool, args, headers, code, mcp, event }) => {
        const trace_id = randomBytes(16).toString('hex');
        const answer = await mcpCall(zone(), bearerOf(as), tool, args, {
          traceparent: `00-${trace_id}-00000000000000a1-01`,
          ...headers,
        });
        let audit_event_id: string;
        if (mcp === 'http_401') {
          expect(answer.status).toBe(401);
          expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
          expect(answer.headers.get('www-authenticate')).not.toContain('resource_metadata');
          audit_event_id = await until(
            'the denial',
            async () => (await events(zone(), `trace_id=${trace_id}`))[0]?.event_id,
          );
        } else if (mcp === 'json_rpc') {
          expect(answer.status).toBe(200);
          expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32602 } });
          audit_event_id = (answer.json as unknown as { error: { data: { audit_event_id: string } } }).error
            .data.audit_event_id;
        } else {
          expect(answer.status).toBe(200);
          const result = (
            answer.json as unknown as {
              result: { isError: boolean; structuredContent?: unknown; content: { text: string }[] };
            }
          ).result;
          expect(result.isError).toBe(true);
          expect(result.structuredContent).toBeUndefined();
          const said = JSON.parse(result.content[0]!.text) as { code: string; audit_event_id: string };
          expect(said.code).toBe(code);
          audit_event_id = said.audit_event_id;
        }
        expect(await eventOf(zone(), audit_event_id)).toMatchObject({
          status: 'denied',
          error: { code },
          ...event,
        });
      },
    );

    test('unknown and not granted read the same to the caller', async () => {
      const text = async (tool: string) => {
        const { error } = (await mcpCall(zone(), leases.read, tool, {})).json as unknown as {
          error: { code: number; message: string };
        };
        return { code: error.code, message: error.message };
      };
      expect(await text('hub_restart_service')).toEqual(await text('hub_no_such_tool'));
    });

    test.each([
      [
        'a duplicate key',
        '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"hub_get_status"}}',
        400,
      ],
      [
        'a prototype key',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_get_status","arguments":{"__proto__":{"a":1}}}}',
        400,
      ],
      [
        '65 levels',
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_get_status","arguments":${'['.repeat(65)}${']'.repeat(65)}}}`,
        400,
      ],
      [
        'a rounded integer',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_get_logs","arguments":{"tail":9007199254740993}}}',
        400,
      ],
      ['half a body', '{"jsonrpc":"2.0","id":1', 400],
      ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400],
      ['an empty batch', '[]', 400],
    ])('odd JSON: %s is refused with an event, and nothing runs', async (_name, body, status) => {
      const { bearer, session } = await lease(zone(), 'InfraOpsControl');
      const answer = await mcpRaw(zone(), bearer, body);
      expect(answer.status).toBe(status);
      const found = await until('the refusal', async () => {
        const all = await events(zone(), `lease_id=${session.session_id}&event_type=call.refused`);
        return all.length ? all : undefined;
      });
      expect(found.map((e) => [e.event_type, e.status])).toEqual([['call.refused', 'denied']]);
    });

    test('odd JSON on REST is refused with the code of the table', async () => {
      const answer = await rest(zone(), leases.control)(
        'POST',
        '/call',
        '{"tool_id":"hub.get_status","tool_id":"hub.get_logs"}',
      );
      expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_argument']);
      expect(await eventOf(zone(), answer.body.audit_event_id!)).toMatchObject({
        event_type: 'call.refused',
        status: 'denied',
      });
    });

    test('a tools/call without an id is not executed and leaves an event', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsControl');
      const status = async () => {
        const { result } = await callTool(zone(), leases.control, 'hub.get_status');
        return (result as { services: { name: string; pid: number }[] }).services.find(
          (s) => s.name === 'web',
        )!.pid;
      };
      const pid = await status();
      const answer = await mcpRaw(zone(), bearer, {
        jsonrpc: '2.0',
        method: 'tools/call',
        params: { name: 'hub_restart_service', arguments: { service: 'web' } },
      });
      expect([answer.status, answer.text]).toEqual([202, '']);
      expect(await status()).toBe(pid);
      const found = await until('the refusal', async () => {
        const all = await events(zone(), `lease_id=${session.session_id}&event_type=call.refused`);
        return all.length ? all : undefined;
      });
      expect(found.map((e) => e.event_type)).toEqual(['call.refused']);
    });

    test('a lease reads no other target and lists only its own', async () => {
      const own = await rest(zone(), leases.production)<{ targets: { target_id: string }[] }>(
        'GET',
        '/targets',
      );
      expect(own.body.targets.map((t) => t.target_id)).toEqual(['hub:prod-1']);
      const foreign = await rest(zone(), leases.production)('GET', '/targets/hub:demo');
      const unknown = await rest(zone(), leases.production)('GET', '/targets/hub:no-such');
      expect([foreign.status, foreign.body.error]).toEqual([unknown.status, unknown.body.error]);
    });

    test('a lease can not issue, register or enable anything', async () => {
      const as = rest(zone(), leases.control);
      for (const [path, body] of [
        ['/sessions', { target_id: 'hub:demo', capability_profile: 'InfraOpsControl' }],
        ['/targets', { hub_id: 'mine', environment: 'test', subnet_id: 'demo-subnet' }],
        ['/targets/hub:demo/skill', { state: 'disabled' }],
      ] as const) {
        const answer = await as('POST', path, body);
        expect([path, answer.status, answer.body.error?.code]).toEqual([path, 404, 'tool_not_found']);
      }
    });
  });
