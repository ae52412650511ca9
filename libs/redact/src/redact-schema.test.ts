import { expect, test } from '@jest/globals';
import { Json, List, Nullable, Text, pub, secret, sensitive } from '@adaos/contracts';
import { Type } from 'typebox';
import { redact } from './redact-schema.js';

const Record = Type.Object({
  name: Text(),
  owner: sensitive(Type.String()),
  key_digest: secret(Type.String()),
  forgotten: Type.String(),
  note: Nullable(Text()),
  nested: Type.Object({ open: Text(), shut: Type.Number() }),
  list: List(Type.Object({ open: Text(), shut: secret(Type.String()) })),
  free: Json(),
  either: pub(
    Type.Union([
      Type.Object({ kind: Type.Literal('a'), a: Text() }),
      Type.Object({ kind: Type.Literal('b'), b: secret(Type.String()) }),
    ]),
  ),
});

test('only what is classified as public is shown; public text is searched all the same', () => {
  const { value, redactions } = redact(Record, {
    name: 'hub-1 token=abc',
    owner: 'ops@x',
    key_digest: 'd',
    forgotten: 'f',
    note: null,
    nested: { open: 'o', shut: 5 },
    list: [{ open: 'o', shut: 's' }],
    free: { password: 'p', n: 1 },
    either: { kind: 'b', b: 'x' },
    unknown: 'u',
  });
  const hidden = '[redacted:field_class]';
  expect(value).toEqual({
    name: 'hub-1 token=[redacted:key_value]',
    owner: hidden,
    key_digest: hidden,
    forgotten: hidden,
    note: null,
    nested: { open: 'o', shut: hidden },
    list: [{ open: 'o', shut: hidden }],
    free: { password: '[redacted:key_value]', n: 1 },
    either: { kind: hidden, b: hidden },
    unknown: hidden,
  });
  expect(redactions).toEqual([
    { rule: 'field_class', count: 8 },
    { rule: 'key_value', count: 2 },
  ]);
});

test('a union shows the branch the value was written by, and hides what fits none', () => {
  expect(redact(Record, { note: 'n', either: { kind: 'a', a: 'shown' } }).value).toEqual({
    note: 'n',
    either: { kind: '[redacted:field_class]', a: 'shown' },
  });
  expect(redact(Record, { note: 5 }).value).toEqual({ note: '[redacted:field_class]' });
});
