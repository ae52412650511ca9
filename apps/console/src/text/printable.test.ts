import { expect, test } from '@jest/globals';
import { printable, printableJson } from './printable.js';

test.each([
  ['plain text, ünïcode 漢字 🎉', 'plain text, ünïcode 漢字 🎉'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['admin\u202etxt.exe', 'admin\\u{202e}txt.exe'],
  ['zero\u200bwidth\u0000nul\u001b[31m', 'zero\\u{200b}width\\u{0}nul\\u{1b}[31m'],
  ['tag\u{e0041}', 'tag\\u{e0041}'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
])('%j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('JSON keeps its lines and hides nothing', () => {
  expect(printableJson({ note: 'a\u202eb' })).toBe('{\n  "note": "a\\u{202e}b"\n}');
  expect(printableJson(undefined)).toBe('null');
});
