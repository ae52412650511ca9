import { Type, type Static } from 'typebox';
import { IdentifyRequest, OneOf, OpError, RUN_VERBS, subjectOf, Text, type RunView } from '@adaos/contracts';
import type { CallDeps } from './call.js';
import { draftEvent, type EventDraft } from './draft.js';
import { takeCall } from './guard.js';
import { admit } from './identify.js';
import type { Runs } from './runs.js';

export const RunRequest = Type.Object(
  { ...IdentifyRequest.properties, run_id: Text(64), verb: OneOf(RUN_VERBS) },
  { additionalProperties: false },
);
export type RunRequest = Static<typeof RunRequest>;

/**
 * A run of the caller's own lease, and its end if that is asked for; null for every other, which must not be told from one that never
 * was. Looking is not recorded, since clients poll; ending is.
 */
export async function runVerb(
  deps: CallDeps & { readonly runs: Runs },
  { run_id, verb, ...who }: RunRequest,
): Promise<{ view: RunView | null }> {
  const draft = draftEvent(deps, 'run.cancel_requested', who);
  const grant = await admit(deps, who, draft);
  await takeCall(deps.local_limits, grant);
  const stored = await deps.runs.rows.get(run_id, { zone: deps.zone, lease_id: grant.grant_id });
  if (!stored) return { view: null };
  const { run, outcome, call_id } = stored;
  if (verb === 'cancel' && run.status === 'working') {
    await record(deps, draft, run);
    // To whichever replica runs it. It ends at a safe step, or not at all if it is past the last one.
    deps.bus.publish(subjectOf('call_cancelled'), { call_id, reason: 'cancelled' });
  }
  return { view: { run, outcome } };
}

async function record(deps: CallDeps, draft: EventDraft, run: RunView['run']): Promise<void> {
  const { target_id, subnet_id, tool_id, event_id: cause_event_id } = run;
  Object.assign(draft.event, { target_id, subnet_id, tool_id, cause_event_id });
  draft.close('succeeded', null);
  draft.event.result_summary = { run_id: run.run_id };
  await deps.recorder.record(draft.event).catch((error: unknown) => {
    throw new OpError('audit_unavailable', error instanceof OpError ? error.details : undefined);
  });
}
