import { Type } from 'typebox';
import {
  ExecReply,
  findTool,
  HUB_ID,
  HubReport,
  isWrite,
  OpError,
  subjectOf,
  targetIdOf,
  validator,
  type OperationalEvent,
} from '@adaos/contracts';
import type { ServeContext } from '@adaos/bus';
import type { CallDeps } from './call.js';
import { lateEvent } from './recovery.js';

const checkReport = validator<HubReport>(HubReport);

const HubOutcome = Type.Object({
  event_id: Type.String({ maxLength: 64 }),
  request_id: Type.String({ maxLength: 128 }),
  lease_id: Type.String({ maxLength: 64 }),
  reply: ExecReply,
});
interface HubOutcome {
  event_id: string;
  request_id: string;
  lease_id: string;
  reply: ExecReply;
}
const checkOutcome = validator<HubOutcome>(HubOutcome);

/** The hub is named by the subject the broker let it publish on, never by what it writes in the body (D2). */
export function hubIdIn(subject: string): string | null {
  const hub_id = subject.split('.')[3] ?? '';
  return HUB_ID.test(hub_id) ? hub_id : null;
}

function hubOf(context: ServeContext): string {
  const hub_id = hubIdIn(context.subject);
  if (hub_id === null) throw new OpError('forbidden');
  return hub_id;
}

export interface HubMessageDeps extends CallDeps {
  readonly heartbeat_ms: number;
  readonly findEvent: (event_id: string) => Promise<OperationalEvent | null>;
  readonly changed: (target_id: string) => void;
}

/** Only a hub's write that nobody has heard the end of: a hub may not rewrite what was closed with its reply, or refused before it. */
const awaitsOutcome = (event: OperationalEvent): boolean => {
  const tool = findTool(event.tool_id ?? '')?.contract;
  return (
    tool !== undefined &&
    tool.served_by === 'hub' &&
    isWrite(tool) &&
    event.execution_adapter === null &&
    event.status !== 'denied'
  );
};

/** What hubs say to root: heartbeats, and outcomes that came too late for their caller. */
export const hubMessages = (deps: HubMessageDeps) => ({
  /** A heartbeat. The answer is root's word on the skill, and how often to report. */
  async hub_report(body: unknown, context: ServeContext) {
    const target_id = targetIdOf(hubOf(context));
    const report = checkReport(body);
    const before = await deps.targets.get(target_id);
    const accepted = await deps.targets.report(target_id, report);
    const after = await deps.targets.get(target_id);
    // Only what callers can notice is told to the other replicas: a plain beat every 15 s per hub is not.
    if (before.status !== after.status || surfaceKey(before) !== surfaceKey(after)) deps.changed(target_id);
    return {
      accepted,
      heartbeat_ms: deps.heartbeat_ms,
      skill: { state: (await deps.targets.rootSkill(target_id)).state },
    };
  },
  /** The outcome of a write whose caller had already been answered: it completes the record. */
  async hub_event(body: unknown, context: ServeContext) {
    const target_id = targetIdOf(hubOf(context));
    const outcome = checkOutcome(body);
    const event = await deps.findEvent(outcome.event_id);
    // An unknown event may still be on its way into the table: the hub keeps the outcome and asks again.
    if (!event) throw new OpError('dependency_unavailable', { reason: 'event_not_stored_yet' });
    if (event.target_id !== target_id || event.request_id !== outcome.request_id || !awaitsOutcome(event))
      throw new OpError('forbidden');
    if (event.phase === 'opened') {
      // Somebody may still be waiting, on whichever replica: a restarted hub will answer them no other way.
      deps.bus.publish(subjectOf('call_outcome'), { event_id: event.event_id, reply: outcome.reply });
    }
    // Always its own phase: a close that is on its way to the table would take the place of another one.
    await deps.recorder.record(lateEvent(event, outcome.reply, deps.clock));
    return { recorded: true };
  },
});

const surfaceKey = (target: Awaited<ReturnType<CallDeps['targets']['get']>>) =>
  `${target.operational_surface.skill.state}|${target.operational_surface.capabilities.join()}`;
