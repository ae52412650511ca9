import {
  blankEvent,
  subjectOf,
  type CredentialEvent,
  type ExecRequest,
  type LeaseRevoked,
  type OperationalEvent,
} from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Ids, Log, Recorder } from '@adaos/runtime';
import type { Credential, CredentialKind, NewAdmission } from '@adaos/store';

type Happened = 'issued' | 'rotated' | 'revoked' | 'expired';
type Summary = Record<string, unknown>;
/** The call that caused it; null for time. */
type Cause = Pick<ExecRequest, 'event_id' | 'request_id' | 'trace_id' | 'actor'> | null;

const NOUN: Record<CredentialKind, string> = {
  mcp_session_lease: 'lease',
  access_token: 'token',
  api_key: 'key',
};

export interface JournalDeps {
  readonly zone: string;
  readonly bus: Bus;
  readonly ids: Ids;
  readonly now: () => number;
  readonly recorder: Recorder;
  readonly log: Pick<Log, 'error'>;
}

export type Journal = ReturnType<typeof createJournal>;

/**
 * Tells what became of a credential: every replica at once, and the record as an event of its own (`lease.*`, `token.*`, `key.*`,
 * `operator.*`) beside the call that caused it. That call is recorded before it acts; these say how far it reached.
 */
export function createJournal({ zone, bus, ids, now, recorder, log }: JournalDeps) {
  const eventOf = (
    event_type: CredentialEvent,
    about: Partial<OperationalEvent>,
    summary: Summary,
    cause: Cause,
  ): OperationalEvent => {
    const at = new Date(now()).toISOString();
    return {
      ...blankEvent(),
      event_id: ids.next('evt'),
      event_type,
      phase: 'closed',
      trace_id: cause?.trace_id ?? ids.trace(),
      request_id: cause?.request_id ?? ids.next('req'),
      surface: 'operations',
      zone,
      actor: cause?.actor ?? 'service:session',
      execution_adapter: 'root.mcp_session_registry',
      status: 'succeeded',
      started_at: at,
      finished_at: at,
      result_summary: summary,
      cause_event_id: cause?.event_id ?? null,
      client: {},
      ...about,
    };
  };
  /** Never waited for: a call must not fail because the echo of what it did is late. */
  const write = (event: OperationalEvent): void =>
    void recorder
      .recordOrSpool(event)
      .catch((error: unknown) =>
        log.error({ err: error, event_type: event.event_type }, 'an event was not recorded'),
      );
  const ofCredential = (one: Credential, what: Happened, summary: Summary, cause: Cause) => {
    const { session_id, auth, target_id, subnet_id } = { ...one, auth: one.kind };
    return eventOf(
      // Rotation is of leases alone.
      `${NOUN[one.kind]}.${what}` as CredentialEvent,
      { lease_id: session_id, auth_method: auth, target_id, subnet_id },
      {
        audience: one.audience,
        capability_profile: one.capability_profile,
        issued_by: one.issued_by,
        deadline_at: one.deadline_at,
        ...summary,
      },
      cause,
    );
  };

  return {
    /** Grants of this id are to be dropped everywhere; see LeaseRevoked for how. */
    announce: (
      lease_id: string,
      target_id: string | null,
      epoch: number,
      how: Pick<LeaseRevoked, 'final' | 'ends_calls'> = { final: true },
    ): void => void bus.publish(subjectOf('lease_revoked'), { lease_id, target_id, epoch, ...how }),
    issued: (one: Credential, cause: Cause, summary: Summary = {}): void =>
      write(ofCredential(one, one.rotated_from === null ? 'issued' : 'rotated', summary, cause)),
    revoked: (one: Credential, cause: Cause): void =>
      write(ofCredential(one, 'revoked', { reason: one.revoke_reason }, cause)),
    /** Resolves once it is recorded. The id is made of the credential's: replicas that find the same one write one event. */
    expired: (one: Credential): Promise<void> =>
      recorder.record({
        ...ofCredential(
          one,
          'expired',
          { ended_at: endOf(one), by: one.revoked_at === null ? 'deadline' : 'rotation' },
          null,
        ),
        event_id: `evt_${one.session_id}_end`,
      }),
    /** Resolves once it is recorded that somebody known elsewhere was let in: whose word, as what, until when. Nothing of the token. */
    admitted: (one: NewAdmission): Promise<void> =>
      recorder.record(
        eventOf(
          'auth.admitted',
          {
            surface: null,
            execution_adapter: null,
            actor: one.actor,
            auth_method: one.auth_method,
            lease_id: one.admission_id,
            target_id: one.target_id,
            subnet_id: one.subnet_id,
          },
          {
            issuer: one.issuer,
            admitted_by: one.admitted_by,
            capability_profile: one.capability_profile,
            expires_at: one.expires_at,
          },
          null,
        ),
      ),
    operator: (
      what: 'created' | 'changed' | 'rotated',
      operator_id: string,
      cause: Cause,
      summary: Summary,
    ): void =>
      write(
        eventOf(`operator.${what}`, { lease_id: operator_id, auth_method: 'operator_token' }, summary, cause),
      ),
  };
}

/** When it ends, or ended: its deadline, or before that by revocation or at the end of an overlap. */
export const endOf = ({ deadline_at, revoked_at }: Credential): string =>
  revoked_at !== null && Date.parse(revoked_at) < Date.parse(deadline_at) ? revoked_at : deadline_at;
