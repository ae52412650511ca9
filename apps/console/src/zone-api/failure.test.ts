import { expect, test } from '@jest/globals';
import { failureIn, passesByItself } from './failure.js';

test('a result is no failure', () => {
  expect(failureIn(200, { ok: true, targets: [] })).toBeNull();
});

test('a refusal brings code, sentence, details and the way to its record', () => {
  const failure = failureIn(403, {
    ok: false,
    error: { code: 'forbidden', message: 'No.', details: { lacking: ['x'] } },
    trace_id: 'a'.repeat(32),
    audit_event_id: 'evt_1',
  });
  expect([failure?.code, failure?.message, failure?.facts]).toEqual([
    'forbidden',
    'No.',
    { http: 403, details: { lacking: ['x'] }, trace_id: 'a'.repeat(32), audit_event_id: 'evt_1' },
  ]);
});

test.each([[null], ['text'], [[1]], [{}], [{ ok: false, error: 'no object' }], [{ ok: 'true' }]])(
  '%j is an answer of something else',
  (body) => {
    expect(failureIn(502, body)?.code).toBe('odd_answer');
  },
);

test('only what is over by itself is tried again', () => {
  expect(passesByItself(failureIn(503, { ok: false, error: { code: 'dependency_unavailable' } }))).toBe(true);
  expect(passesByItself(failureIn(403, { ok: false, error: { code: 'forbidden' } }))).toBe(false);
  expect(passesByItself(new TypeError('x'))).toBe(false);
});
