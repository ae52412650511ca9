import {
  APPROVAL_LIFE,
  isWrite,
  OpError,
  type Approval,
  type ApprovalBinding,
  type Decision,
  type Grant,
  type ToolContract,
} from '@adaos/contracts';
import type { Clock, Ids } from '@adaos/runtime';
import type { ApprovalRows } from '@adaos/store';
import type { EventDraft } from './draft.js';

export interface ApprovalDeps {
  readonly zone: string;
  readonly rows: ApprovalRows;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The approval a call names, found to be of this very call. */
export interface NamedApproval {
  readonly approval: Approval;
  readonly binding: ApprovalBinding;
}

export type Approvals = ReturnType<typeof createApprovals>;

/** Approvals as the call pipeline meets them: named, asked for, spent (D9). */
export function createApprovals({ zone, rows, clock, ids }: ApprovalDeps) {
  const bindingOf = (grant: Grant, tool: ToolContract, draft: EventDraft): ApprovalBinding => ({
    zone,
    grant_id: grant.grant_id,
    tool_id: tool.tool_id,
    target_id: draft.event.target_id,
    arguments_digest: draft.event.arguments_digest ?? '',
  });

  return {
    /**
     * The approval that a call names; null when it names none, or is a dry run or a read, which need none. Throws OpError: approval_mismatch
     * (unknown, foreign or of another change: all alike), approval_expired, forbidden (an approver said no, and why).
     */
    async named(
      approval_id: string | undefined,
      grant: Grant,
      tool: ToolContract,
      draft: EventDraft,
    ): Promise<NamedApproval | null> {
      if (approval_id === undefined || draft.event.dry_run || !isWrite(tool)) return null;
      const binding = bindingOf(grant, tool, draft);
      const approval = await rows.get(zone, approval_id);
      if (
        !approval ||
        (Object.keys(binding) as (keyof ApprovalBinding)[]).some((k) => binding[k] !== approval[k])
      )
        throw new OpError('approval_mismatch');
      draft.event.approval_id = approval.approval_id;
      if (approval.status === 'expired') throw new OpError('approval_expired', { approval_id });
      if (approval.status === 'rejected')
        throw new OpError(
          'forbidden',
          { approval_id, reason: approval.reason },
          'An approver rejected this change.',
        );
      return { approval, binding };
    },

    /** Stops a call for approval: what it throws names the request to have approved. */
    async ask(grant: Grant, tool: ToolContract, draft: EventDraft, decision: Decision): Promise<OpError> {
      const { event } = draft;
      const approval = await rows.request({
        ...bindingOf(grant, tool, draft),
        approval_id: ids.next('apr'),
        subnet_id: event.subnet_id,
        requested_by: grant.actor,
        event_id: event.event_id,
        // As recorded: a reviewer reads what the record shows, and the digest binds what will run.
        arguments: event.arguments_redacted ?? {},
        expires_at: new Date(clock.now() + APPROVAL_LIFE.pending_ms).toISOString(),
      });
      const { approval_id, expires_at } = approval;
      event.approval_id = approval_id;
      return new OpError(
        'approval_required',
        { decision_id: decision.decision_id, approval_id, expires_at },
        decision.explanation,
      );
    },

    /** Spends the approval on this call, in the last moment before it is recorded as begun. Throws OpError(approval_mismatch). */
    async spend(named: NamedApproval, draft: EventDraft): Promise<void> {
      const { event_id, request_id } = draft.event;
      if (!(await rows.use(named.approval.approval_id, named.binding, { event_id, request_id })))
        throw new OpError(
          'approval_mismatch',
          undefined,
          'The approval was used already, or is not given yet.',
        );
    },
  };
}

/** Does it let the call through? A used one does for a repeat of the call it was spent on; spending it tells. */
export const stands = (named: NamedApproval | null): boolean =>
  named !== null && (named.approval.status === 'approved' || named.approval.status === 'used');
