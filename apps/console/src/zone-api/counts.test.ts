import { expect, test } from '@jest/globals';
import { EVENT_STATUSES, type StoredEvent } from '@adaos/contracts';
import { isOperatorRead, outcomesOf, troublesOf } from './counts.js';

const event = (more: Partial<StoredEvent>) =>
  ({
    event_id: 'evt_1',
    status: 'succeeded',
    auth_method: 'mcp_session_lease',
    side_effect_class: 'none',
    determining_rules: [],
    error: null,
    ...more,
  }) as StoredEvent;

test('only a read by an operator that went well may be left out', () => {
  const operator = { auth_method: 'operator_token' };
  expect(isOperatorRead(event(operator))).toBe(true);
  expect(isOperatorRead(event({}))).toBe(false);
  expect(isOperatorRead(event({ ...operator, side_effect_class: 'reversible_write' }))).toBe(false);
  expect(isOperatorRead(event({ ...operator, status: 'denied' }))).toBe(false);
});

test('every event is counted exactly once', () => {
  const outcomes = outcomesOf(EVENT_STATUSES.map((status) => event({ status })));
  const { calls, succeeded, denied, failed, other } = outcomes;
  expect(outcomes).toEqual({ calls: 9, succeeded: 1, denied: 1, failed: 3, other: 4 });
  expect(succeeded + denied + failed + other).toBe(calls);
});

test('the same trouble again is one entry with its newest event', () => {
  const denied = (event_id: string, tool_id: string) =>
    event({ event_id, tool_id, status: 'denied', error: { code: 'forbidden', message: '' } });
  const troubles = troublesOf([denied('3', 'a'), event({}), denied('2', 'b'), denied('1', 'a')], 5);
  expect(troubles.map(({ event: { event_id }, times }) => [event_id, times])).toEqual([
    ['3', 2],
    ['2', 1],
  ]);
  expect(troublesOf([denied('3', 'a'), denied('2', 'b')], 1).length).toBe(1);
});
