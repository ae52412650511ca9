import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CallRequest } from '@adaos/contracts';
import { BEARERS } from '../fixtures/router-double.js';
import { bearer, JSON_TYPE, startFacade, type FacadeUnderTest, type Header } from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const V1 = '/v1/root/mcp';
const post = (path: string, body?: unknown, headers: readonly Header[] = []) =>
  facade.http(V1 + path, {
    method: 'POST',
    headers: [...(body === undefined ? [] : [JSON_TYPE]), ...headers],
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
const lastCall = (): CallRequest => facade.router.on('router_call').at(-1);
const lastRefusal = () => facade.router.on('router_refuse').at(-1);

describe('POST /call', () => {
  test('a success and a refusal by the tool are both 200 envelopes', async () => {
    facade.router.answer('hub.get_status', () => ({ result: { hub_id: 'demo' }, audit_event_id: 'evt_3' }));
    const body = {
      tool_id: 'hub.get_status',
      arguments: {},
      dry_run: true,
      request_id: 'r-1',
      trace_id: 'd'.repeat(32),
    };
    const got = await post('/call', body);
    expect(got.json).toMatchObject({
      ok: true,
      status: 'succeeded',
      tool_id: 'hub.get_status',
      result: { hub_id: 'demo' },
      trace_id: 'd'.repeat(32),
    });
    expect(lastCall()).toMatchObject({
      name: 'hub.get_status',
      dry_run: true,
      request_id: 'r-1',
      trace_id: 'd'.repeat(32),
    });
    const refused = await post('/call', { tool_id: 'no.such_tool' });
    expect([refused.status, refused.json.ok, refused.json.error.code]).toEqual([
      200,
      false,
      'tool_not_found',
    ]);
    expect(lastCall().arguments).toEqual({});
  });

  test.each<[object, string]>([
    [{}, 'tool_id'],
    [{ tool_id: 5 }, '/tool_id'],
    [{ tool_id: 'x', approval: 1 }, 'approval'],
    [{ tool_id: 'x', request_id: 'a b' }, '/request_id'],
    [{ tool_id: 'x', trace_id: 'short' }, '/trace_id'],
  ])('%j is refused', async (body, where) => {
    const calls = facade.router.on('router_call').length;
    const got = await post('/call', body);
    expect(facade.router.on('router_call')).toHaveLength(calls);
    expect([got.status, got.json.error.code]).toEqual([400, 'invalid_argument']);
    expect(got.json.error.message).toContain(where);
    expect(lastRefusal().code).toBe('invalid_argument');
  });

  test('null arguments are router’s to refuse', async () => {
    const got = await post('/call', { tool_id: 'hub.get_logs', arguments: null });
    expect([got.status, got.json.error.code, lastCall().arguments]).toEqual([200, 'invalid_argument', null]);
  });

  test('401 and 403 are for the credential', async () => {
    expect((await post('/call', { tool_id: 'x' }, [bearer(BEARERS.revoked)])).status).toBe(401);
    const zone = await post('/call', { tool_id: 'hub.get_status' }, [['X-AdaOS-Zone', 'zone-b']]);
    expect([zone.status, zone.json.error.code]).toEqual([403, 'zone_mismatch']);
  });
});
