import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Bus } from '@adaos/bus';
import { createInProcessBroker, type InProcessBroker } from '@adaos/bus/in-process';
import { subjectOf } from '@adaos/contracts';
import { silentLog } from '@adaos/runtime';
import { testClock, until } from '@adaos/testing';
import { lostCalls, type LostCalls } from './lost-calls.js';

let broker: InProcessBroker;
let router: Bus;
let calls: LostCalls;
let clock: ReturnType<typeof testClock>;
let sought: string[];
let lost: string[];

beforeEach(() => {
  broker = createInProcessBroker();
  router = broker.connect('router');
  clock = testClock();
  calls = lostCalls({ bus: broker.connect('facade'), clock, log: silentLog });
  sought = [];
  lost = [];
  router.subscribe(subjectOf('call_sought'), (body) => sought.push((body as { call_id: string }).call_id));
});
afterEach(async () => {
  await calls.stop();
  await broker.close();
});

const watch = (call_id: string) => calls.watch(call_id, () => lost.push(call_id));
/** A second passes, and what was asked in it has come through. */
const second = async (asked: number) => {
  clock.advance(1_000);
  await until(`${asked} askings`, () => (sought.length >= asked ? true : undefined));
};
const held = async (call_id: string) => {
  router.publish(subjectOf('call_held'), { call_id });
  // One that nobody waits for, so that the one before it has been heard.
  await new Promise(setImmediate);
};

test('a call that ends soon is never asked after', async () => {
  const end = watch('quick');
  clock.advance(999);
  end();
  clock.advance(10_000);
  await new Promise(setImmediate);
  expect(sought).toEqual([]);
});

test('a call that no router speaks for is lost, told once', async () => {
  watch('orphan');
  for (let n = 1; n <= 4; n++) await second(n);
  expect(lost).toEqual([]);
  clock.advance(1_000);
  expect(lost).toEqual(['orphan']);
  clock.advance(10_000);
  expect(lost).toEqual(['orphan']);
});

test('a router that speaks for it keeps it, for as long as it does', async () => {
  watch('slow');
  for (let n = 1; n <= 20; n++) {
    await second(n);
    await held('slow');
  }
  expect(lost).toEqual([]);
  for (let n = 21; n <= 24; n++) await second(n);
  clock.advance(1_000);
  expect(lost).toEqual(['slow']);
});

test('the word for another call, or an event that breaks its contract, counts for nothing', async () => {
  watch('mine');
  for (let n = 1; n <= 4; n++) {
    await second(n);
    await held('other');
    router.publish(subjectOf('call_held'), { call_id: 7 });
  }
  clock.advance(1_000);
  expect(lost).toEqual(['mine']);
});
