import {
  statusOfCode,
  toErrorBody,
  type CallRequest,
  type CallStatus,
  type Envelope,
  type ErrorBody,
  type ExecReply,
} from '@adaos/contracts';
import {
  blankEvent,
  canonicalJson,
  digestOf,
  neededFor,
  obligationWords,
  sha256,
  type Grant,
  type ManagedTarget,
  type OperationalEvent,
  type ToolContract,
} from '@adaos/contracts';
import { redactText, redactValue } from '@adaos/redact';
import type { Clock, Ids } from '@adaos/runtime';
import type { Decided } from './decisions.js';

/** Characters of canonical arguments that a record holds. */
const MAX_ARGUMENTS = 16_384;

type Seed = Pick<CallRequest, 'client'> &
  Partial<Pick<CallRequest, 'request_id' | 'trace_id' | 'name' | 'dry_run'>>;

/**
 * The event of a call while it grows: each step of the pipeline adds what it learned, so that a denial at any step leaves the same
 * record as a success (architecture, step 9).
 */
export function draftEvent(
  { zone, clock, ids }: { zone: string; clock: Clock; ids: Ids },
  event_type: string,
  seed: Seed,
) {
  const started = clock.now();
  const event: OperationalEvent = {
    ...blankEvent(),
    event_id: ids.next('evt'),
    event_type,
    phase: 'closed',
    trace_id: seed.trace_id ?? ids.trace(),
    request_id: seed.request_id && !holdsSecret(seed.request_id) ? seed.request_id : ids.next('req'),
    zone,
    tool_id: seed.name === undefined ? null : clip(redactText(seed.name).text, 256),
    dry_run: seed.dry_run ?? false,
    status: 'open',
    started_at: new Date(started).toISOString(),
    client: {
      ...seed.client,
      name: redactText(seed.client.name).text,
      version: redactText(seed.client.version).text,
    },
  };
  let mark = started;

  return {
    event,
    /** Milliseconds since the mark before, under a name. */
    lap(name: string) {
      const now = clock.now();
      event.timings[`${name}_ms`] = now - mark;
      mark = now;
    },
    grant(grant: Grant) {
      Object.assign(event, {
        actor: grant.actor,
        auth_method: grant.auth_method,
        lease_id: grant.grant_id,
        subnet_id: grant.subnet_id,
      });
      event.target_id = grant.target_id;
    },
    tool(tool: ToolContract) {
      const {
        tool_id,
        surface,
        plane_id,
        required_capability: capability,
        routing_class,
        side_effect_class,
      } = tool;
      Object.assign(event, { tool_id, surface, plane_id, capability, routing_class, side_effect_class });
    },
    /** The record knows the tool; the answer may not, or it would tell unknown from not granted. */
    notGranted(name: string, grant: Grant, tool: ToolContract) {
      event.tool_id = clip(redactText(name).text, 256);
      event.determining_rules = ['grant.tool_not_listed'];
      event.policy_decision = 'deny';
      event.policy_explanation = `grant.tool_not_listed: the credential has ${grant.capability_profile}, which does not list ${tool.tool_id}; it needs ${neededFor(tool)}.`;
    },
    target(target: ManagedTarget) {
      event.target_id = target.target_id;
      event.subnet_id = target.subnet_id;
    },
    arguments(value: unknown) {
      const text = canonicalJson(value);
      event.arguments_digest = sha256(text);
      // A record must stay small enough to travel with others: of long arguments the digest says which they were.
      event.arguments_redacted =
        text.length > MAX_ARGUMENTS
          ? { truncated: true, bytes: Buffer.byteLength(text) }
          : (redactValue(value).value as OperationalEvent['arguments_redacted']);
    },
    decision({ decision, facts_digest, policy_facts }: Decided) {
      const { decision_id, determining_rules, policy_revision, permit_id, operator_explanation } = decision;
      Object.assign(event, {
        policy_decision: decision.decision,
        decision_id,
        determining_rules,
        policy_revision,
        // Among the facts are words of the client's: a service, a zone. Facts with a mask in them are not replayed, their digest tells.
        policy_explanation: operator_explanation ? clip(redactText(operator_explanation).text, 1_000) : null,
        obligations: obligationWords(decision.obligations),
        facts_digest,
        policy_facts: redactValue(policy_facts).value,
        permit_id,
      });
    },
    /** The record that must be durable before a write is dispatched. */
    opened: (): OperationalEvent => ({ ...event, phase: 'opened', status: 'open' }),
    /** Completes the event with what came of it. */
    close(status: CallStatus, error: ErrorBody | null, reply?: ExecReply): OperationalEvent {
      const now = clock.now();
      event.finished_at = new Date(now).toISOString();
      event.timings['total_ms'] = now - started;
      event.status = status;
      // A hub's message may hold anything: what is recorded and shown passes the same masks.
      event.error = error && (redactValue(error).value as ErrorBody);
      if (reply) {
        event.execution_adapter = reply.adapter;
        // A replay is the first result told again: it took no time on the hub and changed nothing there.
        event.timings['adapter_ms'] = reply.replayed ? 0 : reply.adapter_ms;
        event.redactions = reply.redactions;
        event.source = reply.provenance?.source ?? 'root_local';
        event.result_summary = reply.result
          ? { ...summaryOf(reply.result), ...(reply.replayed && { replayed: true }) }
          : null;
      }
      return event;
    },
    /** What a caller hears who may not have the outcome. */
    refusal(error: ErrorBody): Envelope {
      return { ...this.envelope(), ok: false, status: statusOfCode(error.code), error };
    },
    /** The answer linked to its record. */
    envelope: (reply?: ExecReply): Envelope => envelopeOf(event, reply),
  };
}
export type EventDraft = ReturnType<typeof draftEvent>;

/** The answer that an event and its executor's reply stand for. */
export function envelopeOf(event: OperationalEvent, reply?: ExecReply): Envelope {
  const { request_id, trace_id, tool_id, surface, dry_run, error, event_id, target_id, routing_class } =
    event;
  const ok = event.status === 'succeeded';
  const unknown = error?.code === 'tool_not_found';
  return {
    request_id,
    trace_id,
    tool_id: tool_id ?? '',
    surface: unknown ? null : surface,
    ok,
    // Of an event that nobody can tell the end of, the answer is that it failed, with what is known of it.
    status: event.status === 'indeterminate' ? 'failed' : (event.status as CallStatus),
    dry_run,
    ...(ok && reply?.result && { result: reply.result }),
    ...(error && { error }),
    redactions: reply?.redactions ?? [],
    ...(reply?.truncated && { truncated: true }),
    ...(ok && reply?.provenance && { provenance: reply.provenance }),
    ...(event.status === 'input_required' && reply?.input && { input: reply.input }),
    audit_event_id: event_id,
    meta: {
      target_id,
      routing_class: unknown ? null : routing_class,
      ...(reply?.replayed && { replayed: true }),
    },
  };
}

/** The outcome a thrown error stands for, by its row in the table. */
export function outcomeOf(error: unknown): { status: CallStatus; body: ErrorBody } {
  const body = toErrorBody(error);
  return { status: statusOfCode(body.code), body };
}

/** What a result was, without what was in it. */
function summaryOf(result: Record<string, unknown>): NonNullable<OperationalEvent['result_summary']> {
  return { keys: Object.keys(result).slice(0, 20), digest: digestOf(result) };
}

/** Would our own masks find a secret in this? Then it is not written down. */
export const holdsSecret = (text: string) => redactText(text).text !== text;

const clip = (text: string, max: number) => (text.length > max ? text.slice(0, max) : text);
