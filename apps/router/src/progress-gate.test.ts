import { expect, test } from '@jest/globals';
import type { ProgressStep } from '@adaos/contracts';
import { testClock } from '@adaos/testing';
import { createProgressGate } from './progress-gate.js';

function gate() {
  const clock = testClock(1_000);
  const sent: ProgressStep[] = [];
  return {
    clock,
    sent,
    seen: () => sent.map((step) => step.progress),
    ...createProgressGate(clock, (s) => sent.push(s)),
  };
}

test('steps come out in order; what does not grow is dropped', () => {
  const { step, seen } = gate();
  for (const progress of [0, 50, 50, 20, 100]) step({ progress });
  expect(seen()).toEqual([0, 50, 100]);
});

test('a burst passes, the rest is cut to about four a second and the newest of it is kept', () => {
  const { step, seen, clock } = gate();
  for (let progress = 0; progress < 100; progress++) step({ progress });
  expect(seen()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  clock.advance(250);
  expect(seen().slice(8)).toEqual([99]);
  for (let i = 0; i < 40; i++) {
    step({ progress: 100 + i });
    clock.advance(25);
  }
  // One second: four refills.
  expect(seen().length).toBeLessThanOrEqual(9 + 4);
  expect(seen()).toEqual([...seen()].sort((a, b) => a - b));
});

test('the end sends what was held back, and nothing follows it', () => {
  const { step, end, seen, clock } = gate();
  for (let progress = 0; progress <= 9; progress++) step({ progress });
  end();
  step({ progress: 10 });
  clock.advance(10_000);
  expect(seen()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9]);
});

test('a call whose lease was taken back says nothing more, not even what was held back', () => {
  const { step, end, quiet, seen, clock } = gate();
  for (let progress = 0; progress <= 9; progress++) step({ progress });
  quiet();
  end();
  clock.advance(10_000);
  expect(seen()).toHaveLength(8);
});

test('a message is masked before it is cut to its bound', () => {
  const { step, sent } = gate();
  step({ progress: 1, message: `${'x'.repeat(190)} password=hunter2hunter2hunter2` });
  step({ progress: 2, total: 3, message: 'y'.repeat(500) });
  expect(sent[0]!.message).not.toMatch(/hunter/);
  expect(sent[0]!.message!.length).toBeLessThanOrEqual(200);
  expect(sent[1]).toEqual({ progress: 2, total: 3, message: 'y'.repeat(200) });
});
