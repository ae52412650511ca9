import { describe, expect, test } from '@jest/globals';
import { OpError } from '@adaos/contracts';
import { createLane } from './bounded.js';

const bounds = (more: object = {}) => ({
  timeout_ms: 10_000,
  signal: new AbortController().signal,
  max_output_bytes: 1_000,
  settle: false,
  ...more,
});
/** Work in the test's hands. */
function work() {
  let end: (output: unknown) => void = () => undefined;
  let signal: AbortSignal | undefined;
  const done = new Promise<{ output: unknown }>((resolve) => (end = (output) => resolve({ output })));
  return {
    run: (given: AbortSignal) => {
      signal = given;
      return done;
    },
    end: (output: unknown = {}) => end(output),
    signal: () => signal,
  };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('concurrency', () => {
  test('waits for a slot in order, refuses who finds the queue full', async () => {
    const lane = createLane({ max_concurrency: 1, max_waiting: 1 });
    const [first, second] = [work(), work()];
    const a = lane.run(bounds(), first.run);
    const b = lane.run(bounds(), second.run);
    await expect(lane.run(bounds(), work().run)).rejects.toMatchObject({ code: 'concurrency_limited' });
    expect({ running: lane.running, waiting: lane.waiting, began: second.signal() }).toEqual({
      running: 1,
      waiting: 1,
      began: undefined,
    });
    first.end('one');
    expect(await a).toEqual({ output: 'one' });
    await settle();
    expect({ running: lane.running, waiting: lane.waiting }).toEqual({ running: 1, waiting: 0 });
    second.end('two');
    expect(await b).toEqual({ output: 'two' });
    expect(lane.running).toBe(0);
  });

  test('a freed slot goes to who waits, never also to a newcomer', async () => {
    const lane = createLane({ max_concurrency: 1, max_waiting: 5 });
    const works = [work(), work(), work()];
    const calls = [lane.run(bounds(), works[0]!.run), lane.run(bounds(), works[1]!.run)];
    works[0]!.end();
    await calls[0];
    calls.push(lane.run(bounds(), works[2]!.run));
    await settle();
    expect([works[1]!.signal() !== undefined, works[2]!.signal() !== undefined]).toEqual([true, false]);
    works[1]!.end();
    works[2]!.end();
    await Promise.all(calls);
  });

  test('who gives up while waiting leaves the queue and runs nothing', async () => {
    const lane = createLane({ max_concurrency: 1, max_waiting: 5 });
    const [first, second] = [work(), work()];
    const a = lane.run(bounds(), first.run);
    const abort = new AbortController();
    const b = lane.run(bounds({ signal: abort.signal }), second.run);
    const c = lane.run(bounds({ timeout_ms: 20 }), second.run);
    abort.abort(new OpError('lease_revoked'));
    await expect(b).rejects.toMatchObject({ code: 'lease_revoked' });
    await expect(c).rejects.toMatchObject({ code: 'deadline_exceeded' });
    first.end();
    await a;
    expect({ running: lane.running, waiting: lane.waiting, began: second.signal() }).toEqual({
      running: 0,
      waiting: 0,
      began: undefined,
    });
  });
});

describe('time', () => {
  test('a read is given up at its time; its slot is free only once it has really ended', async () => {
    const lane = createLane({ max_concurrency: 1, max_waiting: 0 });
    const slow = work();
    await expect(lane.run(bounds({ timeout_ms: 20 }), slow.run)).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    expect(slow.signal()?.aborted).toBe(true);
    await expect(lane.run(bounds(), work().run)).rejects.toMatchObject({ code: 'concurrency_limited' });
    slow.end();
    await settle();
    expect(lane.running).toBe(0);
  });

  test('work that must settle is waited for, and its answer counts although the signal came', async () => {
    const lane = createLane({ max_concurrency: 1, max_waiting: 0 });
    const slow = work();
    const abort = new AbortController();
    const call = lane.run(bounds({ signal: abort.signal, settle: true }), slow.run);
    abort.abort(new OpError('cancelled'));
    await settle();
    expect(slow.signal()?.aborted).toBe(true);
    slow.end('done');
    expect(await call).toEqual({ output: 'done' });
  });

  test('what work throws because of the abort becomes our word for it; an OpError of its own stays', async () => {
    const lane = createLane({ max_concurrency: 1, max_waiting: 0 });
    const rejects = (error: Error) => async (signal: AbortSignal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw error;
    };
    const short = bounds({ timeout_ms: 10, settle: true });
    await expect(lane.run(short, rejects(new Error('AbortError')))).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    await expect(lane.run(short, rejects(new OpError('conflict')))).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(lane.run(bounds({ signal: AbortSignal.abort() }), work().run)).rejects.toMatchObject({
      code: 'cancelled',
    });
    await expect(lane.run(bounds(), () => Promise.reject(new TypeError('own')))).rejects.toThrow('own');
    expect(lane.running).toBe(0);
  });
});

test('an output over its cap is refused by name', async () => {
  const lane = createLane({ max_concurrency: 1, max_waiting: 0 });
  const of = (length: number) => async () => ({ output: 'é'.repeat(length) });
  expect(await lane.run(bounds(), of(499))).toEqual({ output: 'é'.repeat(499) });
  await expect(lane.run(bounds(), of(500))).rejects.toMatchObject({
    code: 'result_too_large',
    details: { limit_bytes: 1_000 },
  });
});
