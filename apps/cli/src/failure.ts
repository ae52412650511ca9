import { ERRORS, type ErrorCode } from '@adaos/contracts';
import { EXIT, type FailureKind } from './exit.js';
import { NEXT_STEPS } from './next-steps.js';

export interface FailureFacts {
  /** A code of the error table, or one of this command's own. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly next?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly request_id?: string;
  readonly trace_id?: string;
  readonly audit_event_id?: string | null;
  /** What `--json` prints in place of the error body: an envelope, or a status that was partly told. */
  readonly document?: object;
}

/** Why a command ends other than well. Everything thrown on purpose is one of these. */
export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly kind: FailureKind,
    readonly facts: FailureFacts,
  ) {
    super(facts.message);
  }
  get exit(): number {
    return EXIT[this.kind];
  }
}

/** The caller's mistake, told before anything is sent. */
export const usage = (message: string, next?: string) =>
  new Failure('usage', { code: 'usage', message, next });

/** The zone can't be talked to. */
export const away = (code: string, message: string, next?: string) =>
  new Failure('away', { code, message, next });

const UNAUTHENTICATED = new Set(['unauthenticated', 'lease_expired', 'lease_revoked']);
const AWAY = new Set(['dependency_unavailable', 'audit_unavailable']);

/** A refusal the zone answered with, sorted by its code. A code this build does not know counts as a refusal. */
export function refused(facts: FailureFacts): Failure {
  const { code } = facts;
  const kind = UNAUTHENTICATED.has(code) ? 'unauthenticated' : AWAY.has(code) ? 'away' : 'refused';
  const next = facts.next ?? (Object.hasOwn(ERRORS, code) ? NEXT_STEPS[code as ErrorCode] : undefined);
  return new Failure(kind, { ...facts, next: waitTime(facts.details) ?? next });
}

function waitTime(details: FailureFacts['details']): string | undefined {
  const wait_ms = details?.['retry_after_ms'];
  return typeof wait_ms === 'number'
    ? `Try again in ${Math.max(1, Math.ceil(wait_ms / 1000))} s.`
    : undefined;
}

/** Runs work and, where it is refused with one of these codes, names a better next step than the table's. */
export async function withNext<T>(
  next: Partial<Record<ErrorCode | 'usage', string>>,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure) || !Object.hasOwn(next, error.facts.code)) throw error;
    throw new Failure(error.kind, { ...error.facts, next: next[error.facts.code as ErrorCode] });
  }
}

/** Any throw as a failure. What is not ours is a defect, or a zone of another version: told in a sentence, never as a stack. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
  return new Failure('refused', {
    code: 'unexpected',
    message: `This command met something it does not understand (${reason.slice(0, 200)}).`,
    next: 'Compare `adaosctl --version` with the build that `adaosctl zone status` shows.',
  });
}
