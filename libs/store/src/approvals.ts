import {
  APPROVAL_LIFE,
  MAX_PENDING_APPROVALS,
  OpError,
  type Approval,
  type ApprovalBinding,
} from '@adaos/contracts';
import { inTransaction, type AnySql } from './fault.js';
import { pageOf, type Page } from './page.js';
import { packCursor, storableJson, storableText } from './text.js';

/** A change that is stopped for approval. */
export type NewApproval = Pick<
  Approval,
  | 'approval_id'
  | 'zone'
  | 'subnet_id'
  | 'target_id'
  | 'tool_id'
  | 'grant_id'
  | 'requested_by'
  | 'event_id'
  | 'arguments'
  | 'arguments_digest'
  | 'expires_at'
>;

export interface ApprovalFilter {
  zone: string;
  subnet_id?: string;
  target_id?: string;
  status?: Approval['status'];
  /** 1 … 200, 50 when absent. */
  limit?: number;
  cursor?: string;
}

/** Approvals in SQL, in the wire shape, with the status as of `now`. */
export function approvalRows(sql: AnySql, deps: { now: () => Date } = { now: () => new Date() }) {
  const now = () => deps.now().toISOString();
  const select = (on: AnySql, where: ReturnType<AnySql>) => on<Approval[]>`
    select approval_id, ${statusAsOf(on, now())} as status, zone, subnet_id, target_id, tool_id, grant_id, requested_by, event_id,
      arguments, arguments_digest, requested_at, expires_at, decided_at, decided_by, reason, used_at, used_by_event_id
    from approvals where ${where}`;
  const one = async (on: AnySql, zone: string, approval_id: string): Promise<Approval | null> =>
    (await select(on, on`approval_id = ${storableText(approval_id)} and zone = ${zone}`))[0] ?? null;

  return {
    get: (zone: string, approval_id: string) => one(sql, zone, approval_id),

    /**
     * Asks for approval of a change; who asks again for the same one gets the request that waits already.
     * @throws OpError rate_limited when too many of that credential wait.
     */
    async request(wanted: NewApproval): Promise<Approval> {
      const { approval_id, zone, target_id, tool_id, grant_id, arguments_digest } = wanted;
      return inTransaction(sql, async (tx) => {
        // One credential's requests queue: two calls at once must not make two requests for one change.
        await tx`select pg_advisory_xact_lock(hashtextextended(${'adaos.approvals:' + grant_id}, 0))`;
        const waiting = await select(
          tx,
          tx`grant_id = ${grant_id} and zone = ${zone} and decision is null and expires_at > ${now()}`,
        );
        const same = waiting.find(
          (w) =>
            w.tool_id === tool_id && w.target_id === target_id && w.arguments_digest === arguments_digest,
        );
        if (same) return same;
        if (waiting.length >= MAX_PENDING_APPROVALS) {
          throw new OpError(
            'rate_limited',
            { waiting: waiting.length },
            'Too many changes wait for approval already; have those decided first.',
          );
        }
        await tx`
          insert into approvals (approval_id, zone, subnet_id, target_id, tool_id, grant_id, requested_by, event_id, arguments,
            arguments_digest, requested_at, expires_at)
          values (${approval_id}, ${zone}, ${wanted.subnet_id}, ${target_id}, ${tool_id}, ${grant_id}, ${wanted.requested_by},
            ${wanted.event_id}, ${storableJson(wanted.arguments)}::text::jsonb, ${arguments_digest}, ${now()}, ${wanted.expires_at})`;
        return (await one(tx, zone, approval_id)) as Approval;
      });
    },

    /** Newest first. @throws OpError invalid_argument for a foreign cursor. */
    async list(filter: ApprovalFilter): Promise<Page<Approval>> {
      const { limit, after } = pageOf(filter, ['instant', 'text']);
      const equal = (['subnet_id', 'target_id'] as const).map((column) =>
        filter[column] === undefined ? sql`` : sql`and ${sql(column)} = ${storableText(filter[column])}`,
      );
      const rows = await select(
        sql,
        sql`zone = ${filter.zone} ${equal}
          ${filter.status ? sql`and ${statusAsOf(sql, now())} = ${filter.status}` : sql``}
          ${after ? sql`and (requested_at, approval_id) < (${String(after[0])}::timestamptz, ${String(after[1])})` : sql``}
          order by requested_at desc, approval_id desc limit ${limit + 1}`,
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return {
        items,
        next_cursor: rows.length > limit && last ? packCursor([last.requested_at, last.approval_id]) : null,
      };
    },

    /**
     * Decides what still waits; null when there is nothing to decide any more. Of two who decide at once one does. Who asked does not, nor a
     * key that they made: it is no second person.
     */
    async decide(
      zone: string,
      approval_id: string,
      said: {
        decision: 'approved' | 'rejected';
        by: string;
        grant_id: string;
        reason: string;
        expires_at: string;
      },
    ): Promise<Approval | null> {
      const changed = await sql`
        update approvals a
        set decision = ${said.decision}, decided_at = ${now()}, decided_by = ${storableText(said.by)},
          reason = ${storableText(said.reason)}, expires_at = ${said.expires_at}
        where approval_id = ${storableText(approval_id)} and zone = ${zone} and decision is null and expires_at > ${now()}
          and requested_by <> ${storableText(said.by)}
          and not exists (select 1 from leases l where l.session_id = ${storableText(said.grant_id)} and l.issuer_id = a.grant_id)
        returning 1`;
      return changed.length === 0 ? null : one(sql, zone, approval_id);
    },

    /**
     * Spends an approval on one call. True for the first, and for a repeat of that same call (its request id is journaled by the hub, which
     * answers the first result again); false for everybody else, and for a repeat so late that the hub may have forgotten the first.
     */
    async use(
      approval_id: string,
      binding: ApprovalBinding,
      call: { event_id: string; request_id: string },
    ): Promise<boolean> {
      const at = now();
      const repeatable_since = new Date(deps.now().getTime() - APPROVAL_LIFE.approved_ms).toISOString();
      const used = await sql`
        update approvals
        set used_at = coalesce(used_at, ${at}), used_by_event_id = coalesce(used_by_event_id, ${call.event_id}),
          used_request_id = coalesce(used_request_id, ${call.request_id})
        where approval_id = ${storableText(approval_id)} and zone = ${binding.zone} and grant_id = ${binding.grant_id}
          and tool_id = ${binding.tool_id} and target_id is not distinct from ${binding.target_id}
          and arguments_digest = ${binding.arguments_digest} and decision = 'approved'
          and ((used_request_id = ${call.request_id} and used_at > ${repeatable_since}) or (used_at is null and expires_at > ${at}))
        returning 1`;
      return used.length > 0;
    },
  };
}

const statusAsOf = (sql: AnySql, now: string) => sql`
  case when used_at is not null then 'used' when decision = 'rejected' then 'rejected'
    when expires_at <= ${now} then 'expired' when decision = 'approved' then 'approved' else 'pending' end`;

export type ApprovalRows = ReturnType<typeof approvalRows>;
