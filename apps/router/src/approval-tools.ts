import { APPROVAL_LIFE, OpError, type Approval, type ExecRequest, type Grant } from '@adaos/contracts';
import type { Clock, ExecTable } from '@adaos/runtime';
import type { ApprovalRows } from '@adaos/store';

export interface ApprovalToolDeps {
  readonly zone: string;
  readonly approval_rows: ApprovalRows;
  readonly clock: Clock;
}

interface Named {
  approval_id: string;
  reason?: string;
}

/** Tools of approvers. A credential of one subnet or target sees and decides what is asked there, and nothing else. */
export function approvalTools({ zone, approval_rows: rows, clock }: ApprovalToolDeps): ExecTable {
  const scopeOf = (request: ExecRequest) => {
    const { subnet_id, target_id } = request.grant as Grant;
    return { ...(subnet_id !== null && { subnet_id }), ...(target_id !== null && { target_id }) };
  };

  async function visible(approval_id: string, request: ExecRequest): Promise<Approval> {
    const approval = await rows.get(zone, approval_id);
    const scope = Object.entries(scopeOf(request)) as ['subnet_id' | 'target_id', string][];
    if (!approval || scope.some(([key, value]) => approval[key] !== value))
      throw new OpError('invalid_argument', { path: '/approval_id' }, 'No such approval.');
    return approval;
  }

  const decide =
    (decision: 'approved' | 'rejected') =>
    async ({ approval_id, reason = '' }: Named, request: ExecRequest) => {
      const before = await visible(approval_id, request);
      if (before.requested_by === request.actor) throw ownRequest();
      const expires_at =
        decision === 'approved'
          ? new Date(clock.now() + APPROVAL_LIFE.approved_ms).toISOString()
          : before.expires_at;
      const approval = await rows.decide(zone, approval_id, {
        decision,
        by: request.actor,
        grant_id: (request.grant as Grant).grant_id,
        reason,
        expires_at,
      });
      if (approval) return { approval };
      const { status } = await visible(approval_id, request);
      if (status === 'pending') throw ownRequest();
      if (status === 'expired') throw new OpError('approval_expired', { approval_id });
      throw new OpError('conflict', { status }, `It was decided before: ${status}.`);
    };

  return {
    'operations.list_approvals': async (
      args: { status?: Approval['status']; target_id?: string; limit?: number; cursor?: string },
      request: ExecRequest,
    ) => {
      const { items, next_cursor } = await rows.list({ ...args, ...scopeOf(request), zone });
      return { approvals: items, next_cursor };
    },
    'operations.get_approval': async ({ approval_id }: Named, request: ExecRequest) => ({
      approval: await visible(approval_id, request),
    }),
    'operations.approve': decide('approved'),
    'operations.reject': decide('rejected'),
  };
}

const ownRequest = () =>
  new OpError(
    'forbidden',
    undefined,
    'Whoever asked for a change can not approve or reject it, nor can a key of theirs.',
  );
