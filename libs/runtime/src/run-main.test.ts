import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ConfigError } from './config.js';
import type { Stop } from './module.js';
import { runMain, type Host } from './run-main.js';

/** A process that notes what is done to it. */
function fakeHost() {
  const heard = new Map<string, (value: unknown) => void>();
  const state = { now: 0, exits: [] as number[], said: [] as string[] };
  const host: Host = {
    on: (event, handler) => void heard.set(event, handler),
    exit: (code) => void state.exits.push(code),
    say: (line) => void state.said.push(line),
    now: () => state.now,
  };
  return { host, state, send: (event: string, value?: unknown) => heard.get(event)!(value) };
}
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('runMain', () => {
  // Only the bound of the drain is a timer; the fake one never fires unless a test says so.
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());

  test('a signal drains, then the exit code is 0', async () => {
    const { host, state, send } = fakeHost();
    let stopped = 0;
    await runMain('x', async () => async () => void (stopped += 1), host);
    expect(state.exits).toEqual([]);
    send('SIGTERM');
    await tick();
    expect([stopped, state.exits]).toEqual([1, [0]]);
  });

  test('a signal during the start stops what was started once it is', async () => {
    const { host, state, send } = fakeHost();
    let started: (stop: Stop) => void = () => {};
    let stopped = 0;
    const running = runMain('x', () => new Promise<Stop>((resolve) => (started = resolve)), host);
    send('SIGINT');
    await tick();
    expect([stopped, state.exits]).toEqual([0, []]);
    started(async () => void (stopped += 1));
    await running;
    expect([stopped, state.exits]).toEqual([1, [0]]);
  });

  test.each<[string, Error, number, string[]]>([
    ['an error', new Error('no port'), 1, ['no port']],
    [
      'a config error',
      new ConfigError(['A is missing', 'B is missing']),
      2,
      ['A is missing', 'B is missing'],
    ],
  ])('a start that fails with %s, signalled or not, exits as such', async (_name, error, code, said) => {
    for (const signalled of [false, true]) {
      const { host, state, send } = fakeHost();
      let fail: (error: Error) => void = () => {};
      const running = runMain('x', () => new Promise<Stop>((_, reject) => (fail = reject)), host);
      if (signalled) send('SIGTERM');
      fail(error);
      await running;
      expect(state.exits).toEqual([code]);
      expect(state.said.slice(signalled ? 1 : 0)).toEqual(said);
    }
  });

  test('the same signal twice is one; a later one leaves at once', async () => {
    const { host, state, send } = fakeHost();
    await runMain('x', async () => () => new Promise(() => {}), host);
    send('SIGINT');
    state.now = 999;
    send('SIGTERM');
    expect(state.exits).toEqual([]);
    state.now = 1_000;
    send('SIGINT');
    expect(state.exits).toEqual([130]);
  });

  test('a drain that fails or takes too long exits 1', async () => {
    const failing = fakeHost();
    await runMain('x', async () => () => Promise.reject(new Error('stuck')), failing.host);
    failing.send('SIGINT');
    await tick();
    expect([failing.state.exits, failing.state.said]).toEqual([[1], ['stuck']]);
    const slow = fakeHost();
    await runMain('x', async () => () => new Promise(() => {}), slow.host);
    slow.send('SIGINT');
    jest.advanceTimersByTime(15_000);
    expect(slow.state.exits).toEqual([1]);
  });

  test('an unhandled rejection is told by name and class, never by its message', async () => {
    const { host, state, send } = fakeHost();
    await runMain('x', async () => async () => {}, host);
    class LoginError extends TypeError {}
    send('unhandledRejection', new TypeError('adm_secret'));
    send('unhandledRejection', new LoginError('adm_secret'));
    send('unhandledRejection', 'adm_secret');
    expect(state.said).toEqual([
      'unhandled rejection: TypeError',
      'unhandled rejection: TypeError (LoginError)',
      'unhandled rejection: string',
    ]);
    expect(state.exits).toEqual([]);
  });
});
