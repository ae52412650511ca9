import { describe, expect, test } from '@jest/globals';
import { APPROVAL_LIFE, type ApprovalBinding } from '@adaos/contracts';
import { approvalRows, type NewApproval } from './approvals.js';
import type { StoreBench } from './store.suite.js';

const AT = Date.parse('2026-05-01T10:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();

/** Approvals as time and others pass. */
export function approvalCases(bench: StoreBench): void {
  const at = (ms: number) => approvalRows(bench.store.sql, { now: () => new Date(ms) });
  const wanted = (over: Partial<NewApproval> = {}): NewApproval => ({
    approval_id: bench.id('apr'),
    zone: 'zone-a',
    subnet_id: 'subnet-1',
    target_id: 'hub:one',
    tool_id: 'hub.restart_service',
    grant_id: bench.id('lse'),
    requested_by: 'mcp_session_lease:x',
    event_id: 'evt_1',
    arguments: { service: 'web', note: 'nul \u0000 stays' },
    arguments_digest: 'a'.repeat(64),
    expires_at: iso(AT + 60_000),
    ...over,
  });
  const yes = {
    decision: 'approved',
    by: 'operator:ann',
    grant_id: 'opr_ann',
    reason: 'ok',
    expires_at: iso(AT + 90_000),
  } as const;
  const call = { event_id: 'evt_2', request_id: 'req_2' };
  const bindingOf = ({
    zone,
    grant_id,
    tool_id,
    target_id,
    arguments_digest,
  }: NewApproval): ApprovalBinding => ({
    zone,
    grant_id,
    tool_id,
    target_id,
    arguments_digest,
  });

  describe('approvals', () => {
    test('a lapsed request shows as expired, can not be decided, and is asked for anew', async () => {
      const first = wanted();
      await at(AT).request(first);
      const late = at(AT + 60_000);
      expect((await late.get('zone-a', first.approval_id))?.status).toBe('expired');
      expect(await late.decide('zone-a', first.approval_id, yes)).toBeNull();
      const second = await late.request({
        ...first,
        approval_id: bench.id('apr'),
        expires_at: iso(AT + 120_000),
      });
      expect(second.approval_id).not.toBe(first.approval_id);
    });

    test('a yes that lapsed opens nothing, and one that was spent opens it for the same request only', async () => {
      const one = wanted();
      await at(AT).request(one);
      expect(await at(AT).decide('zone-a', one.approval_id, yes)).toMatchObject({
        status: 'approved',
        decided_by: 'operator:ann',
        reason: 'ok',
        decided_at: iso(AT),
      });
      expect(await at(AT + 90_000).use(one.approval_id, bindingOf(one), call)).toBe(false);
      expect(await at(AT).use(one.approval_id, bindingOf(one), call)).toBe(true);
      expect(await at(AT + 90_000).use(one.approval_id, bindingOf(one), call)).toBe(true);
      expect(await at(AT).use(one.approval_id, bindingOf(one), { ...call, request_id: 'req_3' })).toBe(false);
      expect((await at(AT).get('zone-a', one.approval_id))?.status).toBe('used');
      // The hub's journal forgets; an approval that went on opening for its request would then run it a second time.
      expect(await at(AT + APPROVAL_LIFE.approved_ms).use(one.approval_id, bindingOf(one), call)).toBe(false);
    });

    test.each(['zone', 'grant_id', 'tool_id', 'target_id', 'arguments_digest'] as const)(
      'is bound to its %s',
      async (key) => {
        const one = wanted();
        await at(AT).request(one);
        await at(AT).decide('zone-a', one.approval_id, yes);
        expect(await at(AT).use(one.approval_id, { ...bindingOf(one), [key]: 'other' }, call)).toBe(false);
        expect(await at(AT).use(one.approval_id, bindingOf(one), call)).toBe(true);
      },
    );

    test('another zone neither reads nor decides it; who asked does not decide it', async () => {
      const one = wanted();
      await at(AT).request(one);
      expect(await at(AT).get('zone-b', one.approval_id)).toBeNull();
      expect(await at(AT).decide('zone-b', one.approval_id, yes)).toBeNull();
      expect(await at(AT).decide('zone-a', one.approval_id, { ...yes, by: one.requested_by })).toBeNull();
    });

    test('are listed newest first, by state and tenant, each once over pages', async () => {
      const zone = bench.id('zone');
      const made = [];
      for (let i = 0; i < 5; i++) {
        const one = wanted({ zone, subnet_id: i % 2 ? 'subnet-2' : 'subnet-1', grant_id: bench.id('lse') });
        await at(AT + i).request(one);
        made.unshift(one.approval_id);
      }
      await at(AT + 10).decide(zone, made[0] as string, yes);
      const page = await at(AT + 10).list({ zone, limit: 3 });
      const rest = await at(AT + 10).list({ zone, limit: 3, cursor: page.next_cursor as string });
      expect([...page.items, ...rest.items].map((a) => a.approval_id)).toEqual(made);
      expect(rest.next_cursor).toBeNull();
      expect((await at(AT + 10).list({ zone, status: 'pending' })).items).toHaveLength(4);
      expect((await at(AT + 10).list({ zone, subnet_id: 'subnet-2' })).items).toHaveLength(2);
    });
  });
}
