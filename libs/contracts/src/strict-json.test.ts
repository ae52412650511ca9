import { describe, expect, test } from '@jest/globals';
import { parseStrictJson } from './strict-json.js';

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const ruleOf = (bytes: Uint8Array): unknown => {
  try {
    parseStrictJson(bytes);
    return 'accepted';
  } catch (error) {
    return (error as { details: { rule: string } }).details.rule;
  }
};

describe('parseStrictJson', () => {
  test.each([
    ['a duplicate key', '{"a":1,"a":1}', 'duplicate_key'],
    ['a duplicate written with an escape', '{"a":1,"\\u0061":2}', 'duplicate_key'],
    ['a duplicate deep inside', '[{"x":{"b":1,"c":2,"b":3}}]', 'duplicate_key'],
    ['__proto__', '{"__proto__":{"admin":true}}', 'prototype'],
    ['__proto__ written with an escape', '{"\\u005f_proto__":{"admin":true}}', 'prototype'],
    ['constructor.prototype', '{"constructor":{"prototype":{"admin":true}}}', 'prototype'],
    ['65 levels', '['.repeat(65) + ']'.repeat(65), 'depth'],
    ['200,000 levels', '['.repeat(200_000), 'depth'],
    ['an integer that would be rounded', '{"n":9007199254740993}', 'integer'],
    ['a huge exponent', '{"n":1e400}', 'integer'],
    ['a comment', '{"a":1}//x', 'json'],
    ['two values', '{} {}', 'json'],
    ['a trailing comma', '{"a":1,}', 'json'],
    ['nothing', '', 'json'],
    ['NaN', 'NaN', 'json'],
    ['a byte order mark', '\ufeff{"a":1}', 'json'],
    ['half a surrogate pair as a value', '{"a":["\\ud800"]}', 'unicode'],
    ['half a surrogate pair as a key', '{"\\udc00x":1}', 'unicode'],
  ])('refuses %s', (_name, text, rule) => {
    expect(ruleOf(Buffer.from(text))).toBe(rule);
  });

  test('refuses invalid UTF-8', () => {
    expect(ruleOf(Uint8Array.of(0x22, 0xff, 0x22))).toBe('utf-8');
  });

  test('a whole pair is a character, escaped or not', () => {
    expect(parse('["\\ud83d\\ude00","😀"]')).toEqual(['😀', '😀']);
  });

  test('accepts what only looks odd', () => {
    expect(parse('{"a":":,{}[]\\"","b":[1,2.5,-0,1e3],"c":{"a":null}}')).toEqual({
      a: ':,{}[]"',
      b: [1, 2.5, -0, 1000],
      c: { a: null },
    });
    expect(parse('['.repeat(64) + ']'.repeat(64))).toHaveLength(1);
    expect(parse('{"n":9007199254740991,"p":{"constructor":"x"}}')).toEqual({
      n: 9007199254740991,
      p: { constructor: 'x' },
    });
  });
});
