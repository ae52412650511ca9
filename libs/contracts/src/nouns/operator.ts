import { Type, type Static } from 'typebox';
import { Count, Nullable, OneOf, Text, Timestamp } from './field.js';
import { ROLES } from './tool-contract.js';

/** Who runs the zone, as shown to admins: the token and its hash are not part of it. */
export const Operator = Type.Object(
  {
    operator_id: Text(64),
    name: Text(64),
    role: OneOf(ROLES),
    zone: Text(64),
    status: OneOf(['active', 'disabled'] as const),
    created_at: Timestamp(),
    created_by: Text(128, 'actor, or configuration for the first one'),
    disabled_at: Nullable(Timestamp()),
    last_used_at: Nullable(Timestamp()),
    use_count: Count(),
  },
  { additionalProperties: false },
);
export type Operator = Static<typeof Operator>;
