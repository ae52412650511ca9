import { Type, type Static } from 'typebox';
import { Text } from './field.js';

/** Characters of a progress message: one line a person reads while waiting. */
export const MAX_PROGRESS_MESSAGE = 200;

const step = {
  /** Grows with every step; what its unit is, only `total` says. */
  progress: Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  total: Type.Optional(Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  message: Type.Optional(Text(MAX_PROGRESS_MESSAGE)),
};

/** How far a call has come (MCP `notifications/progress`). */
export const ProgressStep = Type.Object(step);
export type ProgressStep = Static<typeof ProgressStep>;

/** Executor → router: named by the event, the only id of a call that its executor knows. */
export const ExecProgress = Type.Object({ event_id: Text(64), ...step }, { additionalProperties: false });
export type ExecProgress = Static<typeof ExecProgress>;

/** Router → the facade that holds the call. */
export const CallProgress = Type.Object({ call_id: Text(64), ...step });
export type CallProgress = Static<typeof CallProgress>;
