import { pub } from '@adaos/contracts';
import { StoreSettings } from '@adaos/runtime';
import { Type } from 'typebox';
import { IdentitySettings } from './admissions/settings.js';

/** Settings of the session service, read once from the environment. */
export const Config = Type.Object({
  ...StoreSettings,
  LEASE_KEY_FILE: pub(
    Type.String({
      description:
        'File with 64 hex digits a line: keys of stored bearer hashes, the newest first; up to four while one is replaced.',
    }),
  ),
  PUBLIC_URL: Type.Optional(
    pub(
      Type.String({
        description: 'Origin clients use, without a path; told to native clients with their token.',
        maxLength: 2_048,
        pattern: '^https?://[A-Za-z0-9.\\-\\[\\]:]+/?$',
      }),
    ),
  ),
  BOOTSTRAP_OPERATOR_SHA256: Type.Optional(
    pub(
      Type.String({
        description: 'SHA-256 (hex) of the first operator token; the token itself is never configured.',
        pattern: '^[0-9a-f]{64}$',
      }),
    ),
  ),
  ...IdentitySettings,
});
