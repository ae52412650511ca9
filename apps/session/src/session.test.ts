import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createInProcessBroker } from '@adaos/bus/in-process';
import { sha256, subjectOf, type ExecReply, type Grant, type SessionLease } from '@adaos/contracts';
import { BEARER_PREFIXES, randomIds, silentLog } from '@adaos/runtime';
import { session } from './module.js';
import { KEY, OPERATOR, startSession, type SessionUnderTest } from './session.fixture.js';

describe('session service', () => {
  let under_test: SessionUnderTest;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    under_test = await startSession();
  }, 60_000);
  afterAll(async () => {
    for (const end of ends) await end();
    await under_test.close();
  }, 30_000);

  const { resolve, exec, issue, epoch } = {
    resolve: (bearer: string) => under_test.resolve(bearer),
    exec: (...given: Parameters<SessionUnderTest['exec']>): Promise<ExecReply> => under_test.exec(...given),
    issue: (...given: Parameters<SessionUnderTest['issue']>) => under_test.issue(...given),
    epoch: () => under_test.epoch(),
  };
  const operator = async () => (await resolve(OPERATOR)) as Grant;
  const dump = async () =>
    JSON.stringify(await under_test.store.sql`select l.*, encode(token_hmac, 'hex') as hmac from leases l`);

  test('the bootstrap operator is an admin of the whole zone', async () => {
    expect(await operator()).toMatchObject({
      grant_id: 'opr_bootstrap_local',
      auth_method: 'operator_token',
      actor: 'operator:bootstrap',
      role: 'admin',
      target_id: null,
      subnet_id: null,
      deadline_at: new Date(under_test.clock.now() + 86_400_000).toISOString(),
    });
  });

  test('zones that share a database have an operator each, and a replaced token ends what it resolved to', async () => {
    const start = async (zone: string, token: string) => {
      const own = createInProcessBroker();
      const end = await session.start({
        ...{ zone, bus: own.connect('session'), ids: randomIds, log: silentLog },
        ...{ clock: under_test.clock, store: under_test.store },
        ...{
          hmac_keys: [KEY],
          root_url: () => 'https://zone.example',
          bootstrap_operator_digest: sha256(token),
        },
      });
      ends.push(async () => {
        await end();
        await own.close();
      });
      const ask = own.connect('router');
      return {
        resolve: () =>
          ask
            .request<Grant>(
              subjectOf('session_resolve'),
              { bearer_digest: sha256(token) },
              { timeout_ms: 5_000 },
            )
            .then((grant) => grant.grant_id)
            .catch((e: { code: string }) => e.code),
        epoch: async () =>
          (await ask.request<{ epoch: number }>(subjectOf('session_epoch'), {}, { timeout_ms: 5_000 })).epoch,
      };
    };
    const first = await start('other', 'adm_first');
    expect(await first.resolve()).toBe('opr_bootstrap_other');
    expect((await operator()).grant_id).toBe('opr_bootstrap_local');
    const before = await first.epoch();
    const second = await start('other', 'adm_second');
    expect([await first.resolve(), await second.resolve()]).toEqual([
      'unauthenticated',
      'opr_bootstrap_other',
    ]);
    expect(await first.epoch()).toBe(before + 1);
  });

  test('a lease resolves to the grant it was issued with, and its secret is not in the table', async () => {
    const { result } = await issue({ capabilities: ['hub.get_status'], note: 'n' });
    expect(await resolve(result.bearer)).toMatchObject({
      grant_id: result.session.session_id,
      auth_method: 'mcp_session_lease',
      role: null,
      zone: 'local',
      subnet_id: 'subnet-a',
      target_id: 'hub:demo',
      capabilities: ['hub.get_status'],
      allowed_tools: ['hub.get_status'],
      deadline_at: result.session.deadline_at,
    });
    const table = await dump();
    expect(table).not.toContain(result.bearer);
    expect(table).not.toContain(sha256(result.bearer));
  });

  test('1,000 bearers are all different and share nothing with their ids', async () => {
    const bearers = Array.from({ length: 1_000 }, () => randomIds.bearer('mcp'));
    const heads = BEARER_PREFIXES.map((prefix) => randomIds.bearer(prefix));
    for (const [i, head] of heads.entries())
      expect(head).toMatch(new RegExp(`^${BEARER_PREFIXES[i]}_[A-Za-z0-9_-]{43}$`));
    expect(new Set(BEARER_PREFIXES).size).toBe(5);
    expect(new Set(bearers).size).toBe(1_000);
    expect(new Set(bearers.map((b) => b.slice(4, 12))).size).toBe(1_000);
  });

  test.each(['', 'mcp_nope', 'mcp_' + 'a'.repeat(43)])('the bearer %j is unauthenticated', async (bearer) => {
    expect(await resolve(bearer)).toBe('unauthenticated');
  });

  test('a lapsed lease is expired, in the grant and in the list', async () => {
    const { result } = await issue({ ttl_seconds: 60 });
    under_test.clock.advance(60_000);
    expect(await resolve(result.bearer)).toBe('lease_expired');
    const list = await exec('hub.list_mcp_sessions', { session_id: result.session.session_id });
    expect((list.result!['sessions'] as SessionLease[])[0]!.status).toBe('expired');
  });

  test('a revoked lease stays revoked, is told to every replica, and bumps the epoch', async () => {
    const { result } = await issue();
    const before = await epoch();
    const revoked = await exec('hub.revoke_mcp_session', {
      session_id: result.session.session_id,
      reason: 'done',
    });
    expect(revoked.result!['session']).toMatchObject({
      status: 'revoked',
      revoke_reason: 'done',
      revoked_by: 'operator:bootstrap',
    });
    expect(await resolve(result.bearer)).toBe('lease_revoked');
    expect(await epoch()).toBe(before + 1);
    expect(under_test.told.at(-1)).toEqual({
      final: true,
      lease_id: result.session.session_id,
      target_id: 'hub:demo',
      epoch: before + 1,
    });
  });

  test('a revoked lease takes along what was issued under it, and each is told', async () => {
    const under = async ({ result }: Awaited<ReturnType<typeof issue>>) => {
      const grant = (await resolve(result.bearer)) as Grant;
      return { grant, actor: grant.actor, lease_id: grant.grant_id };
    };
    const parent = await issue({ capability_profile: 'LeaseAdmin' });
    const by_parent = await under(parent);
    const child = await issue({ capability_profile: 'LeaseAdmin' }, by_parent);
    const grandchild = await issue({ capability_profile: 'LeaseAdmin' }, await under(child));
    const told = under_test.told.length;
    await exec('hub.revoke_mcp_session', { session_id: parent.result.session.session_id });
    const family = [parent, child, grandchild];
    for (const { result } of family) expect(await resolve(result.bearer)).toBe('lease_revoked');
    const now = await epoch();
    const news = under_test.told.slice(told);
    expect(news).toHaveLength(3);
    expect(news).toEqual(
      expect.arrayContaining(
        family.map(({ result }) => ({
          lease_id: result.session.session_id,
          target_id: 'hub:demo',
          epoch: now,
          final: true,
        })),
      ),
    );
    // A call that was let through just before the revocation leaves nothing behind either.
    expect((await issue({ capability_profile: 'LeaseAdmin' }, by_parent)).error).toMatchObject({
      code: 'lease_revoked',
    });
  });

  test('a lease can not revoke or see one of another target, nor tell whether it exists', async () => {
    const { result } = await issue();
    const foreign = { target_id: 'hub:other' };
    const other = await exec('hub.revoke_mcp_session', { session_id: result.session.session_id }, foreign);
    const unknown = await exec('hub.revoke_mcp_session', { session_id: 'lse_nope' }, foreign);
    expect([other.status, other.error]).toEqual(['denied', unknown.error]);
    expect(
      (await exec('hub.list_mcp_sessions', { session_id: result.session.session_id }, foreign)).result,
    ).toMatchObject({ sessions: [] });
  });

  test('issued grants stay within the profile and within the issuer', async () => {
    const child = await issue({ capability_profile: 'LeaseAdmin', ttl_seconds: 120 });
    const grant = (await resolve(child.result.bearer)) as Grant;
    const by = { grant, actor: grant.actor, lease_id: grant.grant_id };
    expect((await issue({ capability_profile: 'InfraOpsControl' }, by)).error).toMatchObject({
      code: 'forbidden',
    });
    const grandchild = await issue({ capability_profile: 'LeaseAdmin', ttl_seconds: 86_400 }, by);
    expect(grandchild.result.session).toMatchObject({
      deadline_at: child.result.session.deadline_at,
      ttl_seconds: 120,
    });
    under_test.clock.advance(119_500);
    expect((await issue({ capability_profile: 'LeaseAdmin' }, by)).result.session.ttl_seconds).toBe(1);
    under_test.clock.advance(500);
    expect((await issue({ capability_profile: 'LeaseAdmin' }, by)).error).toMatchObject({
      code: 'lease_expired',
    });
    expect((await issue({ capabilities: ['hub.restart_service'] })).error).toMatchObject({
      code: 'invalid_argument',
      details: { not_in_profile: ['hub.restart_service'] },
    });
    expect((await issue({ capabilities: [] })).error).toMatchObject({ code: 'invalid_argument' });
    expect((await issue({ capability_profile: 'Nope' })).error).toMatchObject({ code: 'invalid_argument' });
    expect((await issue({}, { target_id: null })).error).toMatchObject({
      code: 'invalid_argument',
      details: { path: '/target_id' },
    });
  });
});
