import { expect, test } from '@jest/globals';
import { readiness } from './readiness.js';

test('probes that come together share one question, later ones ask again', async () => {
  const answers: ((serving: boolean) => void)[] = [];
  const isReady = readiness({ isServing: () => new Promise((resolve) => answers.push(resolve)) });
  const together = Promise.all([isReady(), isReady(), isReady()]);
  expect(answers).toHaveLength(1);
  answers[0]!(true);
  expect(await together).toEqual([true, true, true]);
  const later = isReady();
  expect(answers).toHaveLength(2);
  answers[1]!(false);
  expect(await later).toBe(false);
});
