import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  OPERATORS_ONLY,
  sha256,
  type AccessToken,
  type ApiKey,
  type ExecReply,
  type ExecRequest,
  type Grant,
  type Operator,
  type SessionLease,
} from '@adaos/contracts';
import { KEY, OPERATOR, startSession, type SessionUnderTest } from './session.fixture.js';

type Issued = ExecReply & { result: { access_token: string; token: AccessToken } };
type Keyed = ExecReply & { result: { api_key: string; key: ApiKey } };
type Made = ExecReply & { result: { token: string; operator: Operator } };

describe('tokens, keys and operators', () => {
  let zone: SessionUnderTest;
  beforeAll(async () => {
    zone = await startSession();
  }, 60_000);
  afterAll(() => zone.close(), 30_000);

  const token = async (args: Record<string, unknown> = {}, bearer?: string) =>
    (await zone.exec(
      'hub.issue_access_token',
      { audience: 'desktop', capability_profile: 'InfraOpsRead', ...args },
      {},
      bearer,
    )) as Issued;
  const NO_TARGET = { target_id: null, subnet_id: null };
  const key = async (
    args: Record<string, unknown>,
    over: Partial<ExecRequest> = NO_TARGET,
    bearer?: string,
  ) => (await zone.exec('zone.create_api_key', { name: 'ci', ...args }, over, bearer)) as Keyed;
  const operator = async (name: string, role: Operator['role']) =>
    (await zone.exec('zone.create_operator', { name, role }, NO_TARGET)) as Made;
  const set = (operator_id: string, change: object) =>
    zone.exec('zone.set_operator', { operator_id, ...change }, NO_TARGET);

  describe('access tokens', () => {
    test('come with what a native client needs, once, and resolve to their own kind of grant', async () => {
      const { result } = await token();
      expect(result).toMatchObject({
        root_url: 'https://zone.example',
        subnet_id: 'subnet-a',
        zone: 'local',
        access_token: expect.stringMatching(/^atk_[A-Za-z0-9_-]{43}$/),
        token: { token_id: expect.stringMatching(/^tok_/), ttl_seconds: 3_600, status: 'active' },
      });
      expect(await zone.resolve(result.access_token)).toMatchObject({
        grant_id: result.token.token_id,
        auth_method: 'access_token',
        role: null,
        target_id: 'hub:demo',
        actor: `access_token:${result.token.token_id}`,
      });
      expect(JSON.stringify(zone.recorded)).not.toContain(result.access_token);
      expect(JSON.stringify(zone.told)).not.toContain(result.access_token);
    });

    test('are no leases: each list and each revoke knows its own', async () => {
      const { result } = await token();
      const { result: leased } = await zone.issue();
      const { token_id } = result.token;
      const lists = await Promise.all([
        zone.exec('hub.list_access_tokens', { token_id }),
        zone.exec('hub.list_mcp_sessions', { session_id: token_id }),
        zone.exec('hub.list_access_tokens', { token_id: leased.session.session_id }),
      ]);
      expect(
        lists.map((list) => ((list.result!['tokens'] ?? list.result!['sessions']) as []).length),
      ).toEqual([1, 0, 0]);
      expect((await zone.exec('hub.revoke_mcp_session', { session_id: token_id })).status).toBe('denied');
      const before = await zone.epoch();
      const gone = await zone.exec('hub.revoke_access_token', { token_id, reason: 'lost' });
      expect(gone.result!['token']).toMatchObject({ token_id, status: 'revoked', revoke_reason: 'lost' });
      expect(zone.told.at(-1)).toEqual({
        lease_id: token_id,
        target_id: 'hub:demo',
        epoch: before + 1,
        final: true,
      });
      expect(await zone.resolve(result.access_token)).toBe('lease_revoked');
    });

    test('hold no more than who issues them, and end with it', async () => {
      const admin = await zone.issue({ capability_profile: 'LeaseAdmin', ttl_seconds: 600 });
      expect((await token({}, admin.result.bearer)).error).toMatchObject({ code: 'forbidden' });
      const { result } = await token({ capability_profile: 'LeaseAdmin' }, admin.result.bearer);
      expect(result.token.deadline_at).toBe(admin.result.session.deadline_at);
      await zone.exec('hub.revoke_mcp_session', { session_id: admin.result.session.session_id });
      expect(await zone.resolve(result.access_token)).toBe('lease_revoked');
    });
  });

  describe('lists', () => {
    test('filter, count what is so now, and stay within the subnet of the caller', async () => {
      const elsewhere = { target_id: 'hub:b', subnet_id: 'subnet-b' };
      await zone.issue({ audience: 'b-client' }, elsewhere);
      const list = async (args: object, over: Partial<ExecRequest> = NO_TARGET, bearer?: string) =>
        (await zone.exec('hub.list_mcp_sessions', { ...args }, over, bearer)).result as unknown as {
          sessions: SessionLease[];
          summary: { issued_count: number; active_count: number; expired_count: number };
        };
      expect((await list({ audience: 'b-client' })).sessions.map((one) => one.target_id)).toEqual(['hub:b']);
      const lapsing = await zone.issue({ ttl_seconds: 60, audience: 'short' });
      zone.clock.advance(60_000);
      expect((await list({ audience: 'short', active_only: true })).sessions).toEqual([]);
      expect((await list({ audience: 'short', status: 'expired' })).sessions).toHaveLength(1);
      expect(lapsing.result.session.status).toBe('active');
      const { result } = await key({ role: 'viewer', subnet_id: 'subnet-b', name: 'fenced' });
      const fenced = await list({}, NO_TARGET, result.api_key);
      expect(fenced.sessions.map((one) => one.subnet_id)).toEqual(['subnet-b']);
      expect(fenced.summary).toMatchObject({ issued_count: 1, active_count: 1, expired_count: 0 });
    });
  });

  describe('API keys', () => {
    test('stand for a role, frozen, without the acts that would outlive them', async () => {
      const { result } = await key({ role: 'admin', ttl_seconds: 31_536_000 });
      expect(result.api_key).toMatch(/^apk_[A-Za-z0-9_-]{43}$/);
      const grant = (await zone.resolve(result.api_key)) as Grant;
      expect(grant).toMatchObject({
        grant_id: result.key.key_id,
        auth_method: 'api_key',
        actor: 'api_key:ci',
        role: 'admin',
        target_id: null,
        subnet_id: null,
      });
      expect(grant.capabilities).toContain('hub.restart_service');
      expect(grant.capabilities.filter((c) => OPERATORS_ONLY.includes(c))).toEqual([]);
    });

    test.each([
      [{}, '/role'],
      [{ role: 'viewer', capabilities: ['hub.get_status'] }, '/capabilities'],
      [{ capabilities: ['zone.create_operator'] }, '/capabilities'],
      [{ capabilities: ['hub.nope'] }, '/capabilities'],
      [{ issue_profiles: ['Nope'] }, '/capability_profile'],
    ])('%j is refused', async (args, path) => {
      expect((await key(args)).error).toMatchObject({ code: 'invalid_argument', details: { path } });
    });

    test('may be bound to a target and to the profiles they issue', async () => {
      const on_target = { target_id: 'hub:demo', subnet_id: 'subnet-a' };
      const { result } = await key({ issue_profiles: ['InfraOpsRead'] }, on_target);
      expect(result.key).toMatchObject({ target_id: 'hub:demo', subnet_id: 'subnet-a', role: null });
      expect(result.key.capabilities.filter((c) => c.startsWith('zone.'))).toEqual([]);
      const issued = await zone.issue({}, {}, result.api_key);
      expect(issued.result.session).toMatchObject({
        issued_by: 'api_key:ci',
        capability_profile: 'InfraOpsRead',
      });
      const other = await zone.issue({ capability_profile: 'LeaseAdmin' }, {}, result.api_key);
      expect(other.error).toMatchObject({ code: 'forbidden', details: { issue_profiles: ['InfraOpsRead'] } });
      expect((await key({ role: 'viewer', subnet_id: 'subnet-b' }, on_target)).error).toMatchObject({
        details: { path: '/subnet_id' },
      });
      await zone.exec('zone.revoke_api_key', { key_id: result.key.key_id }, NO_TARGET);
      expect(await zone.resolve(result.api_key)).toBe('lease_revoked');
      expect(await zone.resolve(issued.result.bearer)).toBe('lease_revoked');
    });

    test('do never more than who made them: not at first, and not after a demotion', async () => {
      const { result: ann } = await operator('key-maker', 'admin');
      const wide = await key({ role: 'operator', name: 'wide' }, NO_TARGET, ann.token);
      const narrow = await key({ role: 'viewer', name: 'narrow' }, NO_TARGET, ann.token);
      const demoted = await set(ann.operator.operator_id, { role: 'viewer' });
      expect(demoted.result).toMatchObject({ ended_count: 1, operator: { role: 'viewer' } });
      expect(await zone.resolve(wide.result.api_key)).toBe('lease_revoked');
      expect(await zone.resolve(narrow.result.api_key)).toMatchObject({ role: 'viewer' });
      const more = await key({ role: 'operator' }, NO_TARGET, ann.token);
      expect(more.error).toMatchObject({ code: 'forbidden' });
      await set(ann.operator.operator_id, { disabled: true });
      expect(await zone.resolve(narrow.result.api_key)).toBe('lease_revoked');
    });
  });

  describe('operators', () => {
    test('are made with a token that is shown once, change role and state at once, and are told by event', async () => {
      const { result } = await operator('ann', 'operator');
      const { operator_id } = result.operator;
      expect(result).toMatchObject({
        token: expect.stringMatching(/^adm_[A-Za-z0-9_-]{43}$/),
        operator: { name: 'ann', role: 'operator', status: 'active', created_by: 'operator:bootstrap' },
      });
      expect(await zone.resolve(result.token)).toMatchObject({ actor: 'operator:ann', role: 'operator' });
      const before = await zone.epoch();
      await set(operator_id, { role: 'viewer' });
      expect(zone.told.at(-1)).toEqual({
        lease_id: operator_id,
        target_id: null,
        epoch: before + 1,
        final: false,
        ends_calls: false,
      });
      expect(await zone.resolve(result.token)).toMatchObject({ role: 'viewer' });
      await set(operator_id, { disabled: true });
      expect(await zone.resolve(result.token)).toBe('unauthenticated');
      await set(operator_id, { disabled: false });
      expect(await zone.resolve(result.token)).toMatchObject({ role: 'viewer' });
      const list = await zone.exec('zone.list_operators', { role: 'viewer', status: 'active' }, NO_TARGET);
      expect(list.result!['operators']).toMatchObject([{ operator_id, role: 'viewer' }]);
      const rotated = (await zone.exec('zone.rotate_operator', { operator_id }, NO_TARGET)) as Made;
      expect(await zone.resolve(result.token)).toBe('unauthenticated');
      expect(await zone.resolve(rotated.result.token)).toMatchObject({ grant_id: operator_id });
      const stored = JSON.stringify([zone.recorded, await zone.store.sql`select * from operators`]);
      for (const secret of [result.token, rotated.result.token]) expect(stored).not.toContain(secret);
      expect((await operator('ann', 'viewer')).error).toMatchObject({ code: 'conflict' });
    });

    test('the configured one keeps role and token, and the last admin stays', async () => {
      const id = 'opr_bootstrap_local';
      expect((await set(id, { role: 'viewer' })).error).toMatchObject({ details: { rule: 'configured' } });
      const rotated = await zone.exec('zone.rotate_operator', { operator_id: id }, NO_TARGET);
      expect(rotated.error).toMatchObject({ code: 'conflict', details: { rule: 'configured' } });
      expect((await set(id, { disabled: true })).error).toMatchObject({ details: { rule: 'last_admin' } });
      const { result } = await operator('second-admin', 'admin');
      expect((await set(id, { disabled: true })).status).toBe('succeeded');
      expect(await zone.resolve(OPERATOR)).toBe('unauthenticated');
      const back = await zone.exec(
        'zone.set_operator',
        { operator_id: id, disabled: false },
        NO_TARGET,
        result.token,
      );
      expect(back.status).toBe('succeeded');
      await set(result.operator.operator_id, { disabled: true });
    });
  });

  test('keys that hash: under a new one the old bearers go on, and stay when the old one is gone', async () => {
    const fresh = Buffer.alloc(32, 9);
    const [used, unused] = [await zone.issue(), await zone.issue()];
    await zone.restart({ hmac_keys: [fresh, KEY] });
    expect(await zone.resolve(used.result.bearer)).toMatchObject({
      grant_id: used.result.session.session_id,
    });
    const made = await zone.issue();
    await zone.restart({ hmac_keys: [fresh] });
    for (const { result } of [used, made])
      expect(await zone.resolve(result.bearer)).toMatchObject({ grant_id: result.session.session_id });
    expect(await zone.resolve(unused.result.bearer)).toBe('unauthenticated');
    expect(await zone.resolve(OPERATOR)).toMatchObject({ grant_id: 'opr_bootstrap_local' });
    await zone.restart({ bootstrap_operator_digest: sha256(OPERATOR) });
  });
});
