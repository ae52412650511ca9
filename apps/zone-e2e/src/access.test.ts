import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiKey, ExecReply, Operator, SessionLease } from '@adaos/contracts';
import { until } from '@adaos/testing';
import { startSpine, succeeded, type Spine } from './spine.js';

/** Bearers that change or end while they are in use, and the fence between tenants, through router as callers meet them. */
describe('access', () => {
  let spine: Spine;
  let hub: Awaited<ReturnType<Spine['hub']>>;
  let answer: () => Promise<ExecReply> = async () => succeeded();

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    for (const [hub_id, subnet_id] of [
      ['a', 'tenant-a'],
      ['b', 'tenant-b'],
    ]) {
      await spine.operator('operations.register_target', {
        hub_id,
        subnet_id,
        environment: 'test',
        policy: {
          write_scope: 'test-only',
          allowed_services: ['web'],
          allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
        },
      });
      await spine.operator('operations.set_skill_state', { target_id: `hub:${hub_id}`, state: 'enabled' });
    }
    hub = await spine.hub('a', () => answer());
    await hub.report();
  }, 60_000);
  afterAll(() => spine.stop(), 30_000);

  const lease = async (hub_id: string, capability_profile = 'InfraOpsRead') => {
    const issued = await spine.operator('hub.issue_mcp_session', {
      target_id: `hub:${hub_id}`,
      capability_profile,
    });
    return issued.result as { bearer: string; session: SessionLease };
  };
  const operator = async (name: string, role: string) => {
    const made = await spine.operator('zone.create_operator', { name, role });
    return made.result as { token: string; operator: Operator };
  };
  const key = async (args: Record<string, unknown>) => {
    const made = await spine.operator('zone.create_api_key', { name: 'ci', ...args });
    return made.result as { api_key: string; key: ApiKey };
  };
  const codeOf = async (bearer: string, name = 'hub.get_status', args: Record<string, unknown> = {}) =>
    (await spine.call(bearer, name, args)).error?.code ?? 'ok';
  /** Starts a call that waits on the hub until told. */
  const held = async (bearer: string, name = 'hub.get_status', args: Record<string, unknown> = {}) => {
    let release: () => void = () => undefined;
    answer = () => new Promise((done) => (release = () => done(succeeded({ secret: 'state' }))));
    const before = hub.seen.length;
    const pending = spine.call(bearer, name, { target_id: 'hub:a', ...args });
    await until('the hub to be asked', () => hub.seen[before]);
    answer = async () => succeeded();
    const finish = async () => {
      release();
      return pending;
    };
    return Object.assign(finish, { pending });
  };

  test('a lease that rotates itself hears its new bearer; the old one is refused at once', async () => {
    const { bearer, session } = await lease('a', 'LeaseAdmin');
    expect(await codeOf(bearer)).toBe('ok');
    const rotated = await spine.call(bearer, 'hub.rotate_mcp_session');
    expect(rotated).toMatchObject({ ok: true, result: { previous: { session_id: session.session_id } } });
    const next = rotated.result as { bearer: string };
    expect([await codeOf(bearer), await codeOf(next.bearer)]).toEqual(['lease_revoked', 'ok']);
  });

  test('an old bearer in its overlap is dropped from every cache when the overlap ends', async () => {
    const { bearer, session } = await lease('a');
    expect(await codeOf(bearer)).toBe('ok');
    await spine.operator('hub.rotate_mcp_session', { session_id: session.session_id, overlap_seconds: 60 });
    expect(await codeOf(bearer)).toBe('ok');
    spine.clock.advance(60_000);
    await hub.report();
    expect(await codeOf(bearer)).toBe('lease_revoked');
  });

  test('of a read that runs while its lease is rotated away nothing is told', async () => {
    const { bearer, session } = await lease('a');
    const release = await held(bearer);
    await spine.operator('hub.rotate_mcp_session', { session_id: session.session_id });
    expect(await release()).toMatchObject({ ok: false, error: { code: 'lease_revoked' } });
  });

  test('an operator who is disabled, demoted or given a new token is judged anew at once, also in flight', async () => {
    const { token, operator: ann } = await operator('ann', 'operator');
    const set = (change: object) =>
      spine.operator('zone.set_operator', { operator_id: ann.operator_id, ...change });
    const issue = { target_id: 'hub:a', capability_profile: 'InfraOpsRead' };
    expect(await codeOf(token, 'hub.issue_mcp_session', issue)).toBe('ok');
    const restarting = await held(token, 'hub.restart_service', { service: 'web' });
    await set({ role: 'viewer' });
    expect(await restarting()).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(await codeOf(token, 'hub.issue_mcp_session', issue)).toBe('tool_not_found');
    // What a viewer may still read goes on; nothing of it was cut off.
    const going_on = await held(token);
    await set({ role: 'approver' });
    expect((await going_on()).ok).toBe(true);
    const cut_off = await held(token);
    await set({ disabled: true });
    // Ended at once: nobody waits for the hub.
    expect(await cut_off.pending).toMatchObject({ ok: false, error: { code: 'lease_revoked' } });
    await cut_off();
    expect(await codeOf(token, 'operations.list_managed_targets')).toBe('unauthenticated');
    await set({ disabled: false });
    expect(await codeOf(token, 'operations.list_managed_targets')).toBe('ok');
    const rotated = await spine.operator('zone.rotate_operator', { operator_id: ann.operator_id });
    expect(await codeOf(token, 'operations.list_managed_targets')).toBe('unauthenticated');
    const { token: next } = rotated.result as { token: string };
    expect(await codeOf(next, 'operations.list_managed_targets')).toBe('ok');
  });

  test('an admin who rotates itself hears its new token', async () => {
    const { token, operator: root } = await operator('root', 'admin');
    const rotated = await spine.call(token, 'zone.rotate_operator', { operator_id: root.operator_id });
    expect(rotated).toMatchObject({ ok: true, result: { token: expect.stringMatching(/^adm_/) } });
  });

  test('only admins reach operators and keys; no lease profile holds any of it', async () => {
    const { token } = await operator('bob', 'operator');
    const { bearer } = await lease('a', 'LeaseAdmin');
    for (const tool of ['zone.list_operators', 'zone.list_api_keys'])
      for (const one of [token, bearer])
        expect([tool, await codeOf(one, tool)]).toEqual([tool, 'tool_not_found']);
  });

  test('a key of tenant A learns nothing of B: not by list, count, id, event or error', async () => {
    const theirs = await lease('b');
    await spine.call(theirs.bearer, 'operations.get_managed_target');
    const { api_key, key: own } = await key({ role: 'operator', subnet_id: 'tenant-a' });
    const ours = await spine.call(api_key, 'hub.issue_mcp_session', {
      target_id: 'hub:a',
      capability_profile: 'InfraOpsRead',
    });
    expect(ours.ok).toBe(true);
    const told = [];
    for (const [name, args] of [
      ['operations.list_managed_targets', {}],
      ['hub.list_mcp_sessions', {}],
      ['hub.list_access_tokens', {}],
      ['operations.list_recent_events', { limit: 200 }],
    ] as const)
      told.push((await spine.call(api_key, name, args)).result);
    expect(told[0]).toMatchObject({ targets: [{ target_id: 'hub:a' }] });
    expect(JSON.stringify(told)).not.toMatch(/tenant-b|hub:b/);
    // By id: there or not, it reads the same.
    const same = async (name: string, foreign: object, unknown: object) => {
      const [one, other] = [
        await spine.call(api_key, name, { ...foreign }),
        await spine.call(api_key, name, { ...unknown }),
      ];
      expect([name, one.error, one.result]).toEqual([name, other.error, other.result]);
    };
    await same('operations.get_managed_target', { target_id: 'hub:b' }, { target_id: 'hub:none' });
    await same('hub.get_status', { target_id: 'hub:b' }, { target_id: 'hub:none' });
    await same('hub.list_mcp_sessions', { target_id: 'hub:b' }, { target_id: 'hub:none' });
    const { session_id } = theirs.session;
    for (const tool of ['hub.list_mcp_sessions', 'hub.revoke_mcp_session', 'hub.rotate_mcp_session'])
      await same(tool, { session_id }, { session_id: 'lse_none' });
    await same('operations.list_recent_events', { lease_id: session_id }, { lease_id: 'lse_none' });
    // Nor can it take a target over, or give one away.
    const register = (hub_id: string, subnet_id: string) =>
      codeOf(api_key, 'operations.register_target', { hub_id, subnet_id, environment: 'test' });
    expect([
      await register('b', 'tenant-a'),
      await register('a', 'tenant-b'),
      await register('c', 'tenant-b'),
    ]).toEqual(['target_forbidden', 'target_forbidden', 'target_forbidden']);
    expect(await codeOf(theirs.bearer, 'operations.get_managed_target')).toBe('ok');
    await spine.operator('zone.revoke_api_key', { key_id: own.key_id });
    expect(await codeOf(api_key, 'operations.list_managed_targets')).toBe('lease_revoked');
    const { bearer } = ours.result as { bearer: string };
    expect(await codeOf(bearer)).toBe('lease_revoked');
  });

  test('a subnet in a header narrows who has none, and widens nobody', async () => {
    const { token } = await operator('wide', 'viewer');
    const list = async (bearer: string, subnet_id: string) =>
      spine.call(bearer, 'operations.list_managed_targets', {}, { subnet_id });
    expect((await list(token, 'tenant-b')).result).toMatchObject({ targets: [{ target_id: 'hub:b' }] });
    expect((await list(token, 'tenant-none')).result).toMatchObject({ targets: [] });
    const { bearer } = await lease('a');
    expect((await list(bearer, 'tenant-b')).error).toMatchObject({ code: 'scope_mismatch' });
    const claimed = await spine.call(bearer, 'operations.list_managed_targets', {}, { zone: 'other' });
    expect(claimed.error).toMatchObject({ code: 'zone_mismatch' });
  });

  test('what happened to bearers stands in the record as events of their own, without a bearer', async () => {
    const { bearer, session } = await lease('a');
    await spine.operator('hub.revoke_mcp_session', { session_id: session.session_id, reason: 'over' });
    const events = await until('both events', async () => {
      const { result } = await spine.operator('operations.list_recent_events', {
        lease_id: session.session_id,
      });
      const found = (result as { events: { event_type: string; cause_event_id: string | null }[] }).events;
      return found.length >= 2 ? found : undefined;
    });
    expect(events.map((e) => e.event_type)).toEqual(['lease.revoked', 'lease.issued']);
    expect(events.every((e) => e.cause_event_id?.startsWith('evt_'))).toBe(true);
    expect(JSON.stringify(events)).not.toContain(bearer);
  });

  test('a key that is made for one target is of that target alone; one for a target that is not there is not made', async () => {
    const { api_key, key: made } = await key({ role: 'operator', target_id: 'hub:a' });
    expect([made.target_id, made.subnet_id]).toEqual(['hub:a', 'tenant-a']);
    const codes = await Promise.all(
      ['hub:a', 'hub:b'].map((target_id) => codeOf(api_key, 'hub.list_mcp_sessions', { target_id })),
    );
    expect(codes).toEqual(['ok', 'target_forbidden']);
    const nowhere = { name: 'ci', role: 'operator', target_id: 'hub:nowhere' };
    expect((await spine.operator('zone.create_api_key', nowhere)).error?.code).toBe('target_not_found');
    const elsewhere = { name: 'ci', role: 'operator', target_id: 'hub:a', subnet_id: 'tenant-b' };
    expect((await spine.operator('zone.create_api_key', elsewhere)).error?.code).toBe('invalid_argument');
  });
});
