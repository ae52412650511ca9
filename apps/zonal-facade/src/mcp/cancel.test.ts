import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Envelope } from '@adaos/contracts';
import { BEARERS } from '../fixtures/router-double.js';
import { bearer, JSON_TYPE, startFacade, type FacadeUnderTest, type Header } from '../fixtures/facade.js';
import { until } from '../fixtures/until.js';
import { inFlight } from './in-flight.js';

describe.each([true, false])('F04 disconnect and cancel, fast path %s', (fast_path) => {
  let facade: FacadeUnderTest;
  beforeAll(async () => {
    facade = await startFacade({ fast_path });
  });
  afterAll(() => facade.stop());

  /** A call that runs until released. */
  async function slowCall(id: number, headers: readonly Header[] = [], era: 'legacy' | 'modern' = 'legacy') {
    let release!: (part: Partial<Envelope>) => void;
    const held = new Promise<Partial<Envelope>>((resolve) => (release = resolve));
    facade.router.answer('hub.run_healthchecks', () => held);
    const before = facade.router.on('router_call').length;
    const got = facade[era]('tools/call', { name: 'hub_run_healthchecks' }, id, headers);
    const [call] = (await facade.router.until('router_call', before + 1)).slice(before);
    return { got, call_id: call.call_id as string, release: () => release({ result: { done: true } }) };
  }
  const cancel = (requestId: unknown, headers: readonly Header[] = []) =>
    facade.mcp({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, headers);
  const cancelled = () => facade.router.on('call_cancelled').map((body) => body.call_id);

  test.each(['POST /v1/root/mcp', 'POST /v1/root/mcp/call'])(
    '(a) a client that closes the socket: %s',
    async (path) => {
      facade.router.answer('hub.run_healthchecks', () => new Promise(() => undefined));
      const body = path.endsWith('/call')
        ? { tool_id: 'hub.run_healthchecks', arguments: {} }
        : { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hub_run_healthchecks' } };
      const before = facade.router.on('router_call').length;
      const gone = new AbortController();
      const sent = facade.http(path.slice(5), {
        method: 'POST',
        headers: [JSON_TYPE],
        body: JSON.stringify(body),
        signal: gone.signal,
      });
      const outcome = expect(sent).rejects.toThrow();
      const calls = await facade.router.until('router_call', before + 1);
      gone.abort();
      await outcome;
      await until(() => cancelled().includes(calls.at(-1).call_id));
      expect(facade.router.on('call_cancelled').at(-1)).toEqual({
        call_id: calls.at(-1).call_id,
        reason: 'client_disconnected',
      });
      await until(async () => (await facade.http('/metrics')).text.includes('adaos_facade_in_flight 1\n'));
    },
  );

  test('(b) a cancel of the same bearer: router is told, the stream closes without a reply', async () => {
    const slow = await slowCall(41);
    const note = await cancel(41);
    expect([note.status, note.text]).toEqual([202, '']);
    const got = await slow.got;
    expect([got.status, got.text]).toEqual([202, '']);
    await until(() => cancelled().includes(slow.call_id));
    slow.release();
  });

  test('(c) a cancel of another bearer with the same id, (d) of an unknown id or kind: nothing changes', async () => {
    const slow = await slowCall(42);
    const before = cancelled().length;
    expect((await cancel(42, [bearer(BEARERS.other)])).status).toBe(202);
    for (const id of [43, '42', null, undefined, { a: 1 }]) expect((await cancel(id)).status).toBe(202);
    slow.release();
    expect((await slow.got).json.result.structuredContent).toEqual({ done: true });
    expect(cancelled()).toHaveLength(before);
  });

  test('a cancel that names two calls of one lease stops neither', async () => {
    const first = await slowCall(44);
    const second = await slowCall(44);
    const before = cancelled().length;
    await cancel(44);
    first.release();
    second.release();
    expect((await first.got).json.id).toBe(44);
    expect((await second.got).json.id).toBe(44);
    expect(cancelled()).toHaveLength(before);
  });

  test('a modern call is not cancelled by notification', async () => {
    const slow = await slowCall(45, [], 'modern');
    await cancel(45);
    slow.release();
    expect((await slow.got).json.result.structuredContent).toEqual({ done: true });
  });

  test('a cancel with a bad bearer gets 401', async () => {
    expect((await cancel(1, [bearer('nobody')])).status).toBe(401);
  });
});

test('in-flight calls are forgotten when they end', () => {
  const calls = inFlight();
  const abort = new AbortController();
  const done = calls.add('d', 1, abort);
  done();
  expect(calls.cancel('d', 1)).toBe(false);
  calls.add('d', 1, abort);
  expect([calls.cancel('d', 1), abort.signal.reason]).toEqual([true, 'cancelled']);
});
