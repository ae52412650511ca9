import { Type, type Static } from 'typebox';
import { Count, Nullable, Text, Timestamp } from './field.js';

/** Characters of a zone's policy text; two of them and their envelope fit a message of the bus. */
export const POLICY_TEXT_MAX = 128 * 1024;

/** One version of a zone's own policies. Versions are only added: going back makes a new one that names what it restores. */
export const PolicyVersion = Type.Object({
  version_id: Text(64),
  seq: Count('counts the versions of the zone'),
  author: Text(128),
  note: Text(500),
  digest: Text(64, 'SHA-256 of the text'),
  restores: Nullable(Text(64, 'the version this one goes back to')),
  created_at: Timestamp(),
});
export type PolicyVersion = Static<typeof PolicyVersion>;

/** What is wrong with a policy text, by line (0: of the whole). */
export const PolicyFaultShape = Type.Object({
  file: Text(200),
  line: Count(),
  rule_id: Nullable(Text(120)),
  message: Text(1000),
});
