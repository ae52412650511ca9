import { expect, test } from '@jest/globals';
import { testClock } from '@adaos/testing';
import fc from 'fast-check';
import { requestStates, type StateBinding } from './request-state.js';

const key = (fill: number) => Buffer.alloc(32, fill);
const binding: StateBinding = {
  bearer_digest: 'a'.repeat(64),
  method: 'tools/call',
  name: 'hub_restart_service',
  arguments_digest: 'b'.repeat(64),
};
const payload = { fill: { service: 'wéb' }, state: null };

test('what was sealed opens once more, tells nothing to its holder, and never looks the same', () => {
  const states = requestStates([key(1)], testClock());
  const sealed = states.seal(binding, payload);
  expect(states.open(binding, sealed)).toEqual(payload);
  expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
  expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('service');
  expect(states.seal(binding, payload)).not.toBe(sealed);
});

test.each(['bearer_digest', 'method', 'name', 'arguments_digest'] as const)(
  'does not open for another %s',
  (member) => {
    const states = requestStates([key(1)], testClock());
    const sealed = states.seal(binding, payload);
    expect(states.open({ ...binding, [member]: 'other' }, sealed)).toBeNull();
  },
);

test('members can’t be shifted into each other', () => {
  const states = requestStates([key(1)], testClock());
  const sealed = states.seal({ ...binding, method: 'tools/call', name: 'x","y' }, payload);
  expect(states.open({ ...binding, method: 'tools/call","x', name: 'y' }, sealed)).toBeNull();
});

test('any change of any character refuses it', () => {
  const states = requestStates([key(1)], testClock());
  const sealed = states.seal(binding, payload);
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
      const changed = sealed.slice(0, at) + char + sealed.slice(at + 1);
      expect(states.open(binding, changed)).toEqual(changed === sealed ? payload : null);
    }),
    { numRuns: 500 },
  );
  for (const other of [
    `${sealed}-TAMPERED`,
    `${sealed}!`,
    ` ${sealed}`,
    `${sealed}.x`,
    sealed.slice(0, -4),
    'v1.',
    'v2.aaaa',
    '',
    'x'.repeat(70_000),
  ])
    expect([other.slice(-12), states.open(binding, other)]).toEqual([other.slice(-12), null]);
});

test('runs out after ten minutes', () => {
  const clock = testClock();
  const states = requestStates([key(1)], clock);
  const sealed = states.seal(binding, payload);
  clock.advance(599_999);
  expect(states.open(binding, sealed)).toEqual(payload);
  clock.advance(1);
  expect(states.open(binding, sealed)).toBeNull();
});

test('an older key still opens while it is in the ring, and seals no more', () => {
  const clock = testClock();
  const before = requestStates([key(1)], clock);
  const during = requestStates([key(2), key(1)], clock);
  const after = requestStates([key(2)], clock);
  const sealed = before.seal(binding, payload);
  expect([during.open(binding, sealed), after.open(binding, sealed)]).toEqual([payload, null]);
  expect(after.open(binding, during.seal(binding, payload))).toEqual(payload);
});
