import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  MAX_PENDING_APPROVALS,
  sha256,
  type Approval,
  type Envelope,
  type ExecRequest,
} from '@adaos/contracts';
import { startSpine, succeeded, type Spine } from './spine.js';

const MANY = Array.from({ length: MAX_PENDING_APPROVALS + 2 }, (_, i) => `svc-${i}`);

/** A target whose changes wait for an approver: what is asked, who may agree, and what a yes is good for. */
describe('approvals', () => {
  let spine: Spine;
  let ran: ExecRequest[] = [];
  let bearer = '';

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    await spine.operator('operations.register_target', {
      hub_id: 'h1',
      environment: 'test',
      subnet_id: 's1',
      policy: {
        write_scope: 'test-only',
        allowed_services: ['web', 'worker', ...MANY],
        allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
        approval: 'writes',
      },
    });
    await spine.operator('operations.set_skill_state', { target_id: 'hub:h1', state: 'enabled' });
    const hub = await spine.hub('h1', async (request) => {
      ran.push(request);
      return succeeded();
    });
    await hub.report();
  }, 60_000);
  afterAll(() => spine.stop(), 30_000);
  beforeEach(async () => {
    ran = [];
    bearer = await lease();
  });

  const lease = async () => {
    const { result } = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'InfraOpsControl',
    });
    return (result as { bearer: string }).bearer;
  };
  const restart = (args: Record<string, unknown> = {}, as = bearer) =>
    spine.call(as, 'hub.restart_service', { service: 'web', ...args });
  const asked = (envelope: Envelope) => String(envelope.error?.details?.['approval_id']);
  const decide = (verb: 'approve' | 'reject', approval_id: string, reason?: string) =>
    spine.operator(`operations.${verb}`, { approval_id, ...(reason && { reason }) });
  const approved = async () => {
    const approval_id = asked(await restart());
    await decide('approve', approval_id);
    return approval_id;
  };

  test('a change is stopped, and asking again asks for the same approval', async () => {
    const [first, again] = [await restart(), await restart()];
    expect(first.status).toBe('approval_required');
    expect(first.error?.code).toBe('approval_required');
    expect(asked(first)).toMatch(/^apr_/);
    expect(asked(again)).toBe(asked(first));
    expect(ran).toHaveLength(0);
    const { result } = await spine.operator('operations.get_approval', { approval_id: asked(first) });
    expect((result as { approval: Approval }).approval).toMatchObject({
      status: 'pending',
      tool_id: 'hub.restart_service',
      target_id: 'hub:h1',
      event_id: first.audit_event_id,
      arguments: { service: 'web' },
      arguments_digest: sha256('{"service":"web"}'),
    });
  });

  test('reads and dry runs wait for nobody', async () => {
    expect((await spine.call(bearer, 'hub.get_status', {})).status).toBe('succeeded');
    expect((await restart({ dry_run: true })).status).toBe('succeeded');
  });

  test('an approved change runs once, under its approval', async () => {
    const approval_id = await approved();
    const done = await restart({ approval_id, request_id: 'r1-once' });
    expect(done.status).toBe('succeeded');
    const { result } = await spine.operator('operations.get_approval', { approval_id });
    expect((result as { approval: Approval }).approval).toMatchObject({
      status: 'used',
      decided_by: 'operator:bootstrap',
      used_by_event_id: done.audit_event_id,
    });
    expect(ran.map((r) => r.arguments)).toEqual([{ service: 'web' }]);
    expect((await restart({ approval_id })).error?.code).toBe('approval_mismatch');
    expect(ran).toHaveLength(1);
    // The answer was lost, not the approval: the hub's journal tells the first result again.
    expect((await restart({ approval_id, request_id: 'r1-once' })).status).toBe('succeeded');
  });

  test('of many calls at once one spends it', async () => {
    const approval_id = await approved();
    const done = await Promise.all(Array.from({ length: 8 }, () => restart({ approval_id })));
    expect(done.filter((d) => d.status === 'succeeded')).toHaveLength(1);
    expect(ran).toHaveLength(1);
    for (const { error } of done.filter((d) => d.status !== 'succeeded'))
      expect(['approval_mismatch', 'concurrency_limited']).toContain(error?.code);
  });

  test.each([
    ['other arguments', () => ({ service: 'worker' }), undefined],
    ['another lease', () => ({}), () => lease()],
  ])('it is good for no other change: %s', async (_what, args, as) => {
    const approval_id = await approved();
    const other = await restart({ ...args(), approval_id }, as ? await as() : bearer);
    expect(other.error?.code).toBe('approval_mismatch');
    expect(ran).toHaveLength(0);
  });

  test('a made-up approval reads like a foreign one', async () => {
    expect((await restart({ approval_id: 'apr_nobody' })).error).toMatchObject({
      code: 'approval_mismatch',
      message: 'The approval names another change.',
    });
  });

  test('what still waits is asked for again, what was rejected is refused with the reason', async () => {
    const approval_id = asked(await restart());
    expect(asked(await restart({ approval_id }))).toBe(approval_id);
    await decide('reject', approval_id, 'not on a Friday');
    expect((await restart({ approval_id })).error).toMatchObject({
      code: 'forbidden',
      details: { approval_id, reason: 'not on a Friday' },
    });
    expect((await decide('approve', approval_id)).error?.code).toBe('conflict');
    expect(ran).toHaveLength(0);
  });

  test('nobody approves what they asked for themselves', async () => {
    const own = await spine.operator('hub.restart_service', { target_id: 'hub:h1', service: 'web' });
    expect(own.status).toBe('approval_required');
    expect((await decide('approve', asked(own))).error).toMatchObject({ code: 'forbidden' });
    expect((await decide('reject', asked(own))).error).toMatchObject({ code: 'forbidden' });
  });

  test('a key is no second person: it decides for others than its maker', async () => {
    const made = await spine.operator('zone.create_api_key', { name: 'yes', role: 'approver' });
    const { api_key } = made.result as { api_key: string };
    const by_key = async (verb: string, approval_id: string) =>
      (await spine.call(api_key, `operations.${verb}`, { approval_id })).error?.code ?? 'ok';
    const own = await spine.operator('hub.restart_service', { target_id: 'hub:h1', service: 'web' });
    expect([await by_key('approve', asked(own)), await by_key('reject', asked(own))]).toEqual([
      'forbidden',
      'forbidden',
    ]);
    expect(await by_key('approve', asked(await restart()))).toBe('ok');
  });

  test('who may not approve can not do away with the approval', async () => {
    const made = await spine.operator('zone.create_operator', { name: 'olga', role: 'operator' });
    const { token } = made.result as { token: string };
    const register = async (policy?: object, as?: string) => {
      const args = { hub_id: 'h1', environment: 'test', subnet_id: 's1', ...(policy && { policy }) };
      const answer = await (as
        ? spine.call(as, 'operations.register_target', args)
        : spine.operator('operations.register_target', args));
      return answer.error?.code ?? 'ok';
    };
    const policy = {
      write_scope: 'test-only',
      allowed_services: ['web', 'worker', ...MANY],
      allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
    };
    expect([await register(policy, token), await register({ ...policy, approval: 'none' }, token)]).toEqual([
      'forbidden',
      'forbidden',
    ]);
    expect((await restart({}, token)).error?.code).toBe('invalid_argument');
    expect((await restart({ target_id: 'hub:h1' }, token)).status).toBe('approval_required');
    expect([
      await register(undefined, token),
      await register({ ...policy, approval: 'writes' }, token),
    ]).toEqual(['ok', 'ok']);
    expect([await register(policy), await register({ ...policy, approval: 'writes' })]).toEqual(['ok', 'ok']);
  });

  test('a lease can neither list nor approve', async () => {
    const approval_id = asked(await restart());
    for (const name of ['operations.approve', 'operations.list_approvals'])
      expect((await spine.call(bearer, name, { approval_id })).error?.code).toBe('tool_not_found');
  });

  test('one credential has a bounded number of requests waiting', async () => {
    const all = await Promise.all(MANY.map((service) => restart({ service })));
    expect(all.filter((a) => a.status === 'approval_required')).toHaveLength(MAX_PENDING_APPROVALS);
    expect(all.filter((a) => a.error?.code === 'rate_limited')).toHaveLength(2);
    expect((await restart({}, await lease())).status).toBe('approval_required');
  });
});
