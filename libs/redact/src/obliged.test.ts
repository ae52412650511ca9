import { describe, expect, test } from '@jest/globals';
import { OBLIGED_RULES } from './obliged.js';
import { redactText } from './redact-text.js';

const mask = (name: keyof typeof OBLIGED_RULES, text: string) => redactText(text, OBLIGED_RULES[name]).text;

describe('masks a policy may ask for', () => {
  test.each([
    ['from ann.b+c@mail.example.org to', 'from [redacted:email] to'],
    ['a@b', 'a@b'],
    ['decorator @Injectable() x', 'decorator @Injectable() x'],
  ])('email: %s', (text, masked) => expect(mask('email', text)).toBe(masked));

  test.each([
    ['peer 10.0.0.1:443 said', 'peer [redacted:ip_address]:443 said'],
    ['bind 192.168.1.255.', 'bind [redacted:ip_address].'],
    ['version 1.2.3 of 256.1.1.1', 'version 1.2.3 of 256.1.1.1'],
    ['at 12:34:56 from fe80::1', 'at 12:34:56 from [redacted:ip_address]'],
    ['2001:db8:0:0:0:0:0:1 up', '[redacted:ip_address] up'],
  ])('ip_address: %s', (text, masked) => expect(mask('ip_address', text)).toBe(masked));

  test('long text without any takes time in proportion', () => {
    const began = performance.now();
    mask('email', 'a.'.repeat(200_000));
    mask('ip_address', '1.'.repeat(200_000));
    mask('ip_address', 'a:'.repeat(200_000));
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
