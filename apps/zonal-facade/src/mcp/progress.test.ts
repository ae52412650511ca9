import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Envelope } from '@adaos/contracts';
import { startFacade, MODERN_META, type FacadeUnderTest, type Header } from '../fixtures/facade.js';
import { acceptsSse } from '../accept.js';

/** The messages of an SSE body. */
const framesOf = (text: string) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) =>
      JSON.parse(
        frame
          .split('\n')
          .find((line) => line.startsWith('data: '))!
          .slice(6),
      ),
    );

describe.each([
  [true, 'modern'],
  [true, 'legacy'],
  [false, 'modern'],
  [false, 'legacy'],
] as const)('progress, fast path %s, %s era', (fast_path, era) => {
  let facade: FacadeUnderTest;
  beforeAll(async () => {
    facade = await startFacade({ fast_path });
  });
  afterAll(() => facade.stop());

  const call = (token: unknown, headers: readonly Header[] = []) => {
    const _meta = {
      ...(era === 'modern' && MODERN_META),
      ...(token !== undefined && { progressToken: token }),
    };
    return facade[era]('tools/call', { name: 'hub_run_healthchecks', _meta }, 7, headers);
  };
  /** Answers a call after it was told to report these steps. */
  const answer = (steps: object[], part: Partial<Envelope> = { result: { done: true } }) =>
    facade.router.answer('hub.run_healthchecks', async (request) => {
      for (const step of steps) facade.router.progress({ call_id: request.call_id, ...step });
      await new Promise((done) => setImmediate(done));
      return part;
    });

  test('steps come as notifications under the client’s token, then the result, and the stream ends', async () => {
    answer([{ progress: 0, total: 3, message: 'stopping' }, { progress: 2, total: 3 }, { progress: 3 }]);
    const got = await call('tok-é');
    expect([got.status, got.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(got.headers['cache-control']).toBe('no-store, no-transform');
    const frames = framesOf(got.text);
    const step = (params: object) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'tok-é', ...params },
    });
    expect(frames.slice(0, 3)).toEqual([
      step({ progress: 0, total: 3, message: 'stopping' }),
      step({ progress: 2, total: 3 }),
      step({ progress: 3 }),
    ]);
    expect(frames).toHaveLength(4);
    expect(frames[3]).toMatchObject({ id: 7, result: { structuredContent: { done: true } } });
    expect(facade.router.on('router_call').at(-1).progress).toBe(true);
  });

  test('without a token router is not asked for steps and none are passed on', async () => {
    answer([{ progress: 1 }]);
    const got = await call(undefined);
    expect(got.headers['content-type']).toBe('application/json');
    expect(facade.router.on('router_call').at(-1)).not.toHaveProperty('progress');
  });

  test('with a token and no step the answer stays JSON', async () => {
    answer([]);
    const got = await call(5);
    expect([got.headers['content-type'], got.json.id]).toEqual(['application/json', 7]);
  });

  test('a client that takes only JSON gets JSON', async () => {
    answer([{ progress: 1 }]);
    const got = await call('t', [['Accept', 'application/json']]);
    expect([got.headers['content-type'], got.json.id]).toEqual(['application/json', 7]);
  });

  test('steps of another call, repeated and late ones are not passed on', async () => {
    let asked = '';
    facade.router.answer('hub.run_healthchecks', async ({ call_id }) => {
      asked = call_id;
      for (const step of [
        { call_id: 'req_other', progress: 9 },
        { call_id, progress: 2 },
        { call_id, progress: 2 },
        { call_id, progress: 1 },
      ])
        facade.router.progress(step);
      await new Promise((done) => setImmediate(done));
      return { result: {} };
    });
    const frames = framesOf((await call('t')).text);
    expect(frames.map((frame) => frame.params?.progress)).toEqual([2, undefined]);
    facade.router.progress({ call_id: asked, progress: 3 });
  });

  test('a lease revoked under way is told in the stream, since its status has gone out', async () => {
    answer([{ progress: 1 }], { error: { code: 'lease_revoked', message: 'gone' } });
    const frames = framesOf((await call('t')).text);
    expect(frames.at(-1)).toMatchObject({ id: 7, error: { code: 1003, data: { code: 'lease_revoked' } } });
  });
});

test('only an Accept that names SSE turns an answer into a stream', () => {
  expect(
    [
      undefined,
      '',
      'application/json',
      'text/event-stream;q=0',
      'application/json, text/event-stream',
      '*/*',
    ].map(acceptsSse),
  ).toEqual([false, false, false, false, true, true]);
});
