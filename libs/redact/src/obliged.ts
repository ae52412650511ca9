import { isIPv6 } from 'node:net';
import type { OBLIGED_MASKS } from '@adaos/contracts';
import { pattern } from './tokens.js';
import type { Rule } from './rules.js';

const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';

/** Masks that a policy may ask for besides secrets: what is no secret, and yet nobody outside should read. */
export const OBLIGED_RULES: Readonly<Record<(typeof OBLIGED_MASKS)[number], readonly Rule[]>> = {
  email: [
    {
      rule: 'email',
      hints: ['@'],
      find: pattern('email', /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g),
    },
  ],
  ip_address: [
    {
      rule: 'ip_address',
      hints: ['.'],
      find: pattern('ip_address', new RegExp(`(?<![\\d.])${OCTET}(?:\\.${OCTET}){3}(?!\\d|\\.\\d)`, 'g')),
    },
    {
      rule: 'ip_address',
      hints: [':'],
      // The parser of the platform says what is one: a time of day has colons too.
      find: pattern('ip_address', /(?<![0-9A-Za-z:.])[0-9A-Fa-f:]{2,39}(?![0-9A-Za-z:])/g, isIPv6),
    },
  ],
};
