import { Type, type Static } from 'typebox';
import { Envelope } from './call.js';
import { Nullable, OneOf, Text, Timestamp } from './field.js';
import { ProgressStep } from './progress.js';

/** `working` until the call behind it has an outcome; the others are final (tasks extension of MCP). */
export const RUN_STATUSES = ['working', 'completed', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Milliseconds. A result waits that long, from the moment the run began, on top of what the tool itself may take. */
export const RUN_KEPT_MS = 3_600_000;

/** A call that goes on after its caller was answered. It belongs to the lease that made it; to every other it does not exist. */
export const Run = Type.Object({
  run_id: Text(64),
  status: OneOf(RUN_STATUSES),
  tool_id: Text(64),
  target_id: Nullable(Text(70)),
  subnet_id: Nullable(Text(64)),
  event_id: Text(64, 'the record of the call'),
  progress: Nullable(ProgressStep),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  expires_at: Timestamp(),
});
export type Run = Static<typeof Run>;

/** What the edge may do with a run of its caller. */
export const RUN_VERBS = ['get', 'update', 'cancel'] as const;
export type RunVerb = (typeof RUN_VERBS)[number];

/** Router's answer to a call that may become a run: the run, or the outcome of a call that came to its end at once. */
export const StartedRun = Type.Object({ run: Type.Optional(Run), envelope: Type.Optional(Envelope) });
export type StartedRun = Static<typeof StartedRun>;

/** Router's answer about a run: `outcome` once it has one. */
export const RunView = Type.Object({ run: Run, outcome: Nullable(Envelope) });
export type RunView = Static<typeof RunView>;
