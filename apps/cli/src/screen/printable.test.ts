import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printable, printableJson } from './printable.js';

const HOSTILE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('printable', () => {
  test.each([
    ['\x1b[2J\x1b]0;owned\x07', '\\x1b[2J\\x1b]0;owned\\x07'],
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['\x9b31mred', '\\x9b31mred'],
    ['user\u202egnp.exe', 'user\\u{202e}gnp.exe'],
    ['\u200bzero', '\\u{200b}zero'],
    ['tag \u{e0041}', 'tag \\u{e0041}'],
    ['\ud800 alone', '\\u{d800} alone'],
    ['plain Привет 日本 🙂', 'plain Привет 日本 🙂'],
  ])('%j', (given, shown) => expect(printable(given)).toBe(shown));

  test('no text comes out with a control or invisible character', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !HOSTILE.test(printable(text))));
  });
});

describe('printableJson', () => {
  test('holds the same value and none of the characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = printableJson(value);
        expect(HOSTILE.test(text)).toBe(false);
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('keeps the line breaks of its own layout', () =>
    expect(printableJson({ a: '\x9b' }, 2)).toBe('{\n  "a": "\\u009b"\n}'));
});
