import { expect, test } from '@jest/globals';
import { redactText } from './redact-text.js';

const MIB = 1024 * 1024;
/** Quadratic rules took 17 s and more on these, a linear pass well under one. Our own CPU time counts, so a busy machine changes nothing. */
const LIMIT_MS = 5_000;
const cpu_ms = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000;

test.each([
  'a',
  '=',
  '"',
  '\\',
  '://',
  'eyJ',
  'eyJ.',
  'eyJaaaaaaaaaaa..',
  'a://b:',
  'a://b@',
  'mcp_',
  'mcp_a',
  'ghp_',
  'AKIAAAAAAAAAAAAAAAAA',
  'sk-a',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  '-----END PRIVATE KEY-----\n',
  'AAAA\n-----END PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\\',
  '"password":',
  '"password":{"a":[',
  'password=\\"',
  'Cookie: a;',
  '--a',
  '--token ',
  '<a>',
  '<token>x',
  '\x1b[',
  '\x1b]',
  '\u200b',
  'a\u200b',
  'basic a',
  'Bearer ',
  'a=b&',
  'api key: ',
  ' '.repeat(3) + 'key: ',
  'A'.repeat(64) + '\n',
])(
  'one MiB of %j is read in linear time',
  (unit) => {
    const text = unit.repeat(Math.ceil(MIB / unit.length));
    for (const hostile of [
      text,
      `{"password":"${text}`,
      `postgres://${text}`,
      `${text}-----END PRIVATE KEY-----`,
    ]) {
      const began = cpu_ms();
      redactText(hostile);
      expect(cpu_ms() - began).toBeLessThan(LIMIT_MS);
    }
  },
  60_000,
);
