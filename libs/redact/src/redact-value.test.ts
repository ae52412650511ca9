import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { redactText } from './redact-text.js';
import { redactValue } from './redact-value.js';

const CASE = {
  headers: { Cookie: { session: 'abc123' }, Host: 'h' },
  Authorization: ['Bearer x', 'Bearer y'],
  'X-Api-Key': 12345,
};
const MASKED = {
  headers: { Cookie: { session: '[redacted:cookie]' }, Host: 'h' },
  Authorization: ['Bearer [redacted:authorization]', 'Bearer [redacted:authorization]'],
  'X-Api-Key': '[redacted:key_value]',
};

describe('field case F14', () => {
  test('values are masked, schemes and keys stay', () => {
    const { value, redactions } = redactValue(CASE);
    expect(value).toEqual(MASKED);
    expect(redactions).toEqual([
      { rule: 'authorization', count: 2 },
      { rule: 'cookie', count: 1 },
      { rule: 'key_value', count: 1 },
    ]);
  });

  test('the same as text, in text, and as JSON inside JSON', () => {
    expect(JSON.parse(redactText(JSON.stringify(CASE)).text)).toEqual(MASKED);
    const nested = JSON.stringify({ a: JSON.stringify({ b: JSON.stringify(CASE, null, 1) }) });
    const once = JSON.parse(redactText(nested).text) as { a: string };
    const twice = JSON.parse(once.a) as { b: string };
    expect(JSON.parse(twice.b)).toEqual(MASKED);
  });
});

test('arrays, numbers, flags and null stay; strings are searched wherever they are', () => {
  const input = {
    list: [1, 'x', null, true, 'postgres://u:p@h'],
    pid: 41,
    token: null,
    secret: false,
    tokens: { prompt: 512 },
  };
  expect(redactValue(input).value).toEqual({
    ...input,
    list: [1, 'x', null, true, 'postgres://u:[redacted:url_credentials]@h'],
  });
});

test('a header list names its secrets by another member', () => {
  expect(
    redactValue([
      { name: 'Authorization', value: 'Bearer abc' },
      { name: 'Host', value: 'h' },
    ]).value,
  ).toEqual([
    { name: 'Authorization', value: 'Bearer [redacted:authorization]' },
    { name: 'Host', value: 'h' },
  ]);
});

test('an own __proto__ member is a member, and nesting beyond the bound is masked whole', () => {
  const odd = redactValue(JSON.parse('{"__proto__":{"password":"x"}}')).value as object;
  expect(Object.keys(odd)).toEqual(['__proto__']);
  expect(JSON.stringify(odd)).toBe('{"__proto__":{"password":"[redacted:key_value]"}}');
  let deep: unknown = 'password=x';
  for (let i = 0; i < 50_000; i++) deep = [deep];
  expect(redactValue(deep).redactions).toEqual([{ rule: 'too_deep', count: 1 }]);
});

describe('for any value', () => {
  // No word of this text is found by a rule, but it holds what JSON and the rules stumble over.
  const sample = fc.string({ unit: fc.constantFrom(...'ab1 "\\\'{}[]:,;&=/?@#<>\n\r\t-`'), maxLength: 30 });
  const key = fc.oneof(
    fc.constantFrom('password', 'X-Api-Key', 'Cookie', 'Authorization', 'n', 'host'),
    sample,
  );
  const json = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      sample,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(key, tie('any'), { maxKeys: 4 }),
    ),
  })).any;
  const keysOf = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(keysOf)
      : typeof value === 'object' && value !== null
        ? Object.entries(value).map(([name, item]) => [name, keysOf(item)])
        : null;

  test('masked JSON text is JSON with the same keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = redactText(JSON.stringify(value)).text;
        expect(keysOf(JSON.parse(text))).toEqual(keysOf(value));
      }),
      { numRuns: 2_000 },
    );
  });

  test('no secret survives under a secret name, as a value or as text', () => {
    fc.assert(
      fc.property(json, sample, (value, noise) => {
        const planted = {
          before: value,
          password: `${noise}zz-canary-91${noise}`,
          after: { Cookie: ['zz-canary-91'] },
        };
        expect(JSON.stringify(redactValue(planted).value)).not.toContain('canary');
        expect(redactText(`log ${JSON.stringify({ line: JSON.stringify(planted) })}`).text).not.toContain(
          'canary',
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('masking twice changes and counts nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        const once = redactText(
          `${JSON.stringify(value)} password=x Authorization: Bearer abc postgres://u:pw@h\nCookie: a=b`,
        ).text;
        expect(redactText(once)).toEqual({ text: once, redactions: [] });
        const masked = redactValue(value).value;
        expect(redactValue(masked)).toEqual({ value: masked, redactions: [] });
      }),
      { numRuns: 1_000 },
    );
  });
});
