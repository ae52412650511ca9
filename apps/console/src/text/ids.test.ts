import { expect, test } from '@jest/globals';
import { actorWords, isLeaseId, shortId } from './ids.js';

test.each([
  ['lse_01K9ZQ0000ABCDEFGHJK7Q2F9A', 'lse_…7Q2F9A'],
  ['evt_1', 'evt_1'],
  ['4bf92f3577b34da6a3ce929d0e0e4736', '…0e4736'],
  ['', ''],
])('%s is shortened to %s', (id, short) => {
  expect(shortId(id)).toBe(short);
});

test('actors in few words', () => {
  expect(actorWords({ actor: 'mcp_session_lease:lse_01K9ZQ0000ABCDEFGHJK7Q2F9A' })).toBe('lease …7Q2F9A');
  expect(actorWords({ actor: 'operator:night:shift' })).toBe('operator night:shift');
  expect(actorWords({ actor: 'someone' })).toBe('someone');
  expect(actorWords({ actor: null })).toBeNull();
});

test('an operator is no lease', () => {
  expect([isLeaseId('lse_1'), isLeaseId('opr_1'), isLeaseId(null)]).toEqual([true, false, false]);
});
