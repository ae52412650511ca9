import { OneOf, OpError, SKILL_STATES, Text, validator } from '@adaos/contracts';
import { Type, type Static, type TSchema } from 'typebox';
import type { Journal, Outcome } from './journal.js';
import type { RunningCalls } from './running-calls.js';
import type { Skill } from './skill.js';

export interface ControlDeps {
  readonly journal: Journal;
  readonly running: RunningCalls;
  readonly skill: Skill;
}

const strict = { additionalProperties: false } as const;
const OutcomeMessage = Type.Object(
  { verb: Type.Literal('outcome'), event_id: Text(64), lease_id: Text(64), request_id: Text(128) },
  strict,
);
const SkillMessage = Type.Object({ verb: Type.Literal('skill'), state: OneOf(SKILL_STATES) }, strict);
const RevokedMessage = Type.Object({ verb: Type.Literal('lease_revoked'), lease_id: Text(64) }, strict);
const CancelMessage = Type.Object({ event_id: Text(64) }, strict);

const check = <T extends TSchema>(schema: T) => validator<Static<T>>(schema);
const checkOutcome = check(OutcomeMessage);
const checkSkill = check(SkillMessage);
const checkRevoked = check(RevokedMessage);
const checkCancel = check(CancelMessage);

/** What root says about calls and not as a call: it never waits behind one. Throws OpError(invalid_argument) for anything else. */
export async function control(
  { journal, running, skill }: ControlDeps,
  body: unknown,
): Promise<Outcome | { state: string; changed: boolean } | { aborted: number }> {
  switch ((body as { verb?: unknown } | null)?.verb) {
    // What became of a write whose router lost sight of it.
    case 'outcome':
      return journal.outcomeOf(checkOutcome(body));
    case 'skill': {
      const { state } = checkSkill(body);
      return { changed: await skill.adopt(state), state };
    }
    case 'lease_revoked':
      return { aborted: running.revoke(checkRevoked(body).lease_id) };
    default:
      throw new OpError('invalid_argument', { path: '/verb' }, 'Unknown control verb.');
  }
}

/** Aborts what runs for an event; `aborted: 0` when it has ended, which is no error. */
export async function cancel({ running }: ControlDeps, body: unknown): Promise<{ aborted: number }> {
  return { aborted: running.cancel(checkCancel(body).event_id) };
}
