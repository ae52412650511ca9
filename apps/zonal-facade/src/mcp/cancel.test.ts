import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
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
  async function slowCall(
    id: number,
    headers: readonly Header[] = [],
    era: 'legacy' | 'modern' = 'legacy',
    on: FacadeUnderTest = facade,
  ) {
    let release!: (part: Partial<Envelope>) => void;
    const held = new Promise<Partial<Envelope>>((resolve) => (release = resolve));
    facade.router.answer('hub.run_healthchecks', () => held);
    const before = facade.router.on('router_call').length;
    const got = on[era]('tools/call', { name: 'hub_run_healthchecks' }, id, headers);
    const [call] = (await facade.router.until('router_call', before + 1)).slice(before);
    return { got, call_id: call.call_id as string, release: () => release({ result: { done: true } }) };
  }
  const cancel = (requestId: unknown, headers: readonly Header[] = []) =>
    facade.mcp({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, headers);
  const cancelled = () => facade.router.on('call_cancelled').map((body) => body.call_id);
  /** Every vote begun before this has ended. */
  async function voted() {
    const marker = await slowCall(900);
    await cancel(900);
    await until(() => cancelled().includes(marker.call_id));
    await marker.got;
    return cancelled().filter((call_id) => call_id !== marker.call_id);
  }

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
      await until(async () => (await facade.metrics()).includes('adaos_facade_in_flight 0\n'));
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
    expect(await voted()).toHaveLength(before);
    slow.release();
    expect((await slow.got).json.result.structuredContent).toEqual({ done: true });
  });

  test('a cancel that names two calls of one lease stops neither', async () => {
    const first = await slowCall(44);
    const second = await slowCall(44);
    const before = cancelled().length;
    await cancel(44);
    expect(await voted()).toHaveLength(before);
    first.release();
    second.release();
    expect((await first.got).json.id).toBe(44);
    expect((await second.got).json.id).toBe(44);
  });

  describe('with a second replica', () => {
    let other: FacadeUnderTest;
    beforeAll(async () => {
      other = await startFacade({ fast_path, beside: facade });
    });
    afterAll(() => other.stop());

    test('a cancel reaches the call wherever it is held', async () => {
      const slow = await slowCall(51, [], 'legacy', other);
      await cancel(51);
      expect([(await slow.got).status, (await slow.got).text]).toEqual([202, '']);
      await until(() => cancelled().includes(slow.call_id));
      slow.release();
    });

    test('two calls of one lease with the same id, on two replicas: neither is stopped, nor is another bearer’s', async () => {
      const [first, second] = [await slowCall(52), await slowCall(52, [], 'legacy', other)];
      const foreign = await slowCall(53, [bearer(BEARERS.other)], 'legacy', other);
      const before = cancelled().length;
      await cancel(52);
      await cancel(53);
      expect(await voted()).toHaveLength(before);
      for (const call of [first, second, foreign]) {
        call.release();
        expect((await call.got).json.result.structuredContent).toEqual({ done: true });
      }
    });
  });

  test('a client that leaves its stream cancels the call behind it', async () => {
    let call_id = '';
    facade.router.answer('hub.run_healthchecks', (request) => {
      call_id = request.call_id;
      facade.router.progress({ call_id, progress: 1 });
      return new Promise(() => undefined);
    });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'hub_run_healthchecks', _meta: { progressToken: 1 } },
    });
    const headers = {
      authorization: `Bearer ${BEARERS.good}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const sent = request(facade.urls.mcp_url, { method: 'POST', headers, agent: false });
    const [response] = (await once(sent.end(body), 'response')) as [IncomingMessage];
    expect(response.headers['content-type']).toBe('text/event-stream');
    response.destroy();
    await until(() => cancelled().includes(call_id));
    expect(facade.router.on('call_cancelled').at(-1)).toEqual({ call_id, reason: 'client_disconnected' });
  });

  test('a modern call is not cancelled by notification', async () => {
    const slow = await slowCall(45, [], 'modern');
    await cancel(45);
    await voted();
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
