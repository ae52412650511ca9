import { expect, test } from '@jest/globals';
import { stopAll } from './module.js';

test('one stop that fails keeps none of the others from running; the first error is told', async () => {
  const stopped: string[] = [];
  const part = (name: string, fails = false) => ({
    async stop() {
      stopped.push(name);
      if (fails) throw new Error(`${name} failed`);
    },
  });
  const sync = () => {
    stopped.push('timer');
    throw new Error('timer failed');
  };
  const stop = stopAll([part('bus'), part('store', true), sync, part('door')]);
  await expect(stop()).rejects.toThrow('timer failed');
  expect(stopped).toEqual(['door', 'timer', 'store', 'bus']);
});

test('a failure that is no Error counts as one', async () => {
  await expect(stopAll([() => Promise.reject(undefined)])()).rejects.toBeUndefined();
});
