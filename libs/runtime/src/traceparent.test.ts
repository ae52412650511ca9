import { expect, test } from '@jest/globals';
import { traceIdOf } from './traceparent.js';

const ID = 'a'.repeat(32);
const PARENT = 'b'.repeat(16);

test.each([
  ['version 00', `00-${ID}-${PARENT}-01`, ID],
  ['a later version with members of its own', `01-${ID}-${PARENT}-01-more`, ID],
  ['version 00 with a member too many', `00-${ID}-${PARENT}-01-more`, null],
  ['version ff', `ff-${ID}-${PARENT}-01`, null],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, null],
  ['a parent id of zeros', `00-${ID}-${'0'.repeat(16)}-01`, null],
  ['zeros in a later version', `01-${'0'.repeat(32)}-${PARENT}-01`, null],
  ['upper case', `00-${ID.toUpperCase()}-${PARENT}-01`, null],
  ['a line end', `00-${ID}-${PARENT}-01\n`, null],
  ['nothing', undefined, null],
])('W3C trace context: %s', (_, header, id) => {
  expect(traceIdOf(header)).toBe(id);
});
