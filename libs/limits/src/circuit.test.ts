import { expect, test } from '@jest/globals';
import { createCircuit } from './circuit.js';

const circuitAt = () => {
  const clock = { ms: 5_000 };
  const failures: unknown[] = [];
  const circuit = createCircuit({ now: () => clock.ms, onFailure: (error) => failures.push(error) });
  const calls: string[] = [];
  const works = (answer: string) => async () => (calls.push(answer), answer);
  const fails = async () => {
    calls.push('failed');
    throw new Error('away');
  };
  return { circuit, clock, failures, calls, works, fails };
};

test('after a failure nothing is tried for a second, then the answer closes it', async () => {
  const { circuit, clock, failures, calls, works, fails } = circuitAt();
  expect(await circuit.run(works('a'))).toBe('a');
  expect(await circuit.run(fails)).toBeNull();
  clock.ms += 999;
  expect(await circuit.run(works('too early'))).toBeNull();
  clock.ms += 1;
  expect(await circuit.run(works('b'))).toBe('b');
  expect(await Promise.all([circuit.run(works('c')), circuit.run(works('c'))])).toEqual(['c', 'c']);
  expect(calls).toEqual(['a', 'failed', 'b', 'c', 'c']);
  expect(failures).toEqual([new Error('away')]);
});

test('one call tries, the others go without; a failed try starts the second again', async () => {
  const { circuit, clock, calls, works, fails } = circuitAt();
  await circuit.run(fails);
  clock.ms += 1_000;
  const outcomes = await Promise.all([circuit.run(fails), circuit.run(works('x')), circuit.run(works('y'))]);
  expect(outcomes).toEqual([null, null, null]);
  expect(await circuit.run(works('z'))).toBeNull();
  expect(calls).toEqual(['failed', 'failed']);
  clock.ms += 1_000;
  expect(await circuit.run(fails)).toBeNull();
  expect(calls).toEqual(['failed', 'failed', 'failed']);
  circuit.reset();
  expect(await circuit.run(works('back'))).toBe('back');
});
