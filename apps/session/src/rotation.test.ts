import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ExecReply, Grant, SessionLease } from '@adaos/contracts';
import { until } from '@adaos/testing';
import { startSession, type SessionUnderTest } from './session.fixture.js';

type Rotated = ExecReply & { result: { session: SessionLease; bearer: string; previous: SessionLease } };

describe('rotation of leases', () => {
  let zone: SessionUnderTest;
  beforeAll(async () => {
    zone = await startSession();
  }, 60_000);
  afterAll(() => zone.close(), 30_000);

  const rotate = async (args: Record<string, unknown>, bearer?: string) =>
    (await zone.exec('hub.rotate_mcp_session', args, {}, bearer)) as Rotated;
  const revoke = (session_id: string) => zone.exec('hub.revoke_mcp_session', { session_id });

  test('gives a new bearer and id for the same grant and deadline, and ends the old one', async () => {
    const { result: old } = await zone.issue({ capabilities: ['hub.get_status'], note: 'n', audience: 'a' });
    zone.clock.advance(60_000);
    const { result } = await rotate({ session_id: old.session.session_id });
    const same = ({
      audience,
      capability_profile,
      capabilities,
      deadline_at,
      note,
      target_id,
    }: SessionLease) => ({
      ...{ audience, capability_profile, capabilities, deadline_at, note, target_id },
    });
    expect(same(result.session)).toEqual(same(old.session));
    expect(result.session).toMatchObject({
      rotated_from: old.session.session_id,
      ttl_seconds: 4 * 3_600 - 60,
      status: 'active',
    });
    expect(result.previous).toMatchObject({ status: 'revoked', revoke_reason: 'rotated' });
    expect(await zone.resolve(old.bearer)).toBe('lease_revoked');
    expect(await zone.resolve(result.bearer)).toMatchObject({ grant_id: result.session.session_id });
    expect(zone.told.at(-1)).toMatchObject({ lease_id: old.session.session_id, final: true });
    const again = await rotate({ session_id: old.session.session_id });
    expect(again.error).toMatchObject({ code: 'conflict' });
  });

  test('with an overlap the old bearer goes on until it ends by itself', async () => {
    const { result: old } = await zone.issue();
    const { result } = await rotate({ session_id: old.session.session_id, overlap_seconds: 300 });
    expect(zone.told.at(-1)).toMatchObject({ lease_id: old.session.session_id, final: false });
    const ends_at = new Date(zone.clock.now() + 300_000).toISOString();
    // The grant says so too: no cache keeps it longer.
    expect(await zone.resolve(old.bearer)).toMatchObject({ deadline_at: ends_at });
    expect((await rotate({ session_id: old.session.session_id })).error).toMatchObject({ code: 'conflict' });
    zone.clock.advance(300_000);
    expect(await zone.resolve(old.bearer)).toBe('lease_revoked');
    expect(await zone.resolve(result.bearer)).toMatchObject({ auth_method: 'mcp_session_lease' });
  });

  test('a lease rotates itself, keeps its issuer, and can not give itself more time', async () => {
    const { result: old } = await zone.issue({ capability_profile: 'LeaseAdmin', ttl_seconds: 600 });
    const { result } = await rotate({ ttl_seconds: 2_592_000 }, old.bearer);
    expect(result.session).toMatchObject({
      rotated_from: old.session.session_id,
      issued_by: 'operator:bootstrap',
      deadline_at: old.session.deadline_at,
    });
    expect(await zone.resolve(old.bearer)).toBe('lease_revoked');
    // An operator may, up to what issued it.
    const longer = await rotate({ session_id: result.session.session_id, ttl_seconds: 86_400 });
    expect(longer.result.session.ttl_seconds).toBe(86_400);
  });

  test('a lease can not rotate one that holds more, and learns no bearer that outlives it', async () => {
    const admin = await zone.issue({ capability_profile: 'LeaseAdmin', ttl_seconds: 600 });
    const control = await zone.issue({ capability_profile: 'InfraOpsControl' });
    const grab = await rotate({ session_id: control.result.session.session_id }, admin.result.bearer);
    expect(grab.error).toMatchObject({ code: 'forbidden' });
    expect(await zone.resolve(control.result.bearer)).toMatchObject({
      capability_profile: 'InfraOpsControl',
    });
    const peer = await zone.issue({ capability_profile: 'LeaseAdmin' });
    const taken = await rotate({ session_id: peer.result.session.session_id }, admin.result.bearer);
    expect(taken.result.session).toMatchObject({
      deadline_at: admin.result.session.deadline_at,
      issued_by: ((await zone.resolve(admin.result.bearer)) as Grant).actor,
    });
    await revoke(admin.result.session.session_id);
    expect(await zone.resolve(taken.result.bearer)).toBe('lease_revoked');
  });

  test('what was issued under any bearer of the line ends with it', async () => {
    const parent = await zone.issue({ capability_profile: 'LeaseAdmin' });
    const early = await zone.issue({ capability_profile: 'LeaseAdmin' }, {}, parent.result.bearer);
    const next = await rotate({ session_id: parent.result.session.session_id });
    const late = await zone.issue({ capability_profile: 'LeaseAdmin' }, {}, next.result.bearer);
    expect(await zone.resolve(early.result.bearer)).toMatchObject({ role: null });
    await revoke(next.result.session.session_id);
    for (const { result } of [early, late, next])
      expect(await zone.resolve(result.bearer)).toBe('lease_revoked');
  });

  test('a lease of another target or subnet is not there to be rotated', async () => {
    const { result } = await zone.issue();
    const { session_id } = result.session;
    const elsewhere = { target_id: 'hub:other', subnet_id: 'subnet-b' };
    const foreign = await zone.exec('hub.rotate_mcp_session', { session_id }, elsewhere);
    const unknown = await zone.exec('hub.rotate_mcp_session', { session_id: 'lse_no' }, elsewhere);
    expect(foreign.error).toEqual(unknown.error);
    expect(await zone.resolve(result.bearer)).toMatchObject({ grant_id: session_id });
  });

  test('ends that time brings are told and recorded once each, by a look every few seconds', async () => {
    const lapsed = await zone.issue({ ttl_seconds: 60 });
    const old = await zone.issue();
    await rotate({ session_id: old.result.session.session_id, overlap_seconds: 30 });
    const ids = [lapsed, old].map(({ result }) => result.session.session_id);
    zone.clock.advance(60_000);
    const events = () =>
      zone.recorded.filter((e) => e.event_type === 'lease.expired' && ids.includes(e.lease_id!));
    await until('both ends', () => {
      zone.clock.advance(5_000);
      return events().length >= 2 ? true : undefined;
    });
    expect(
      events()
        .map((e) => [e.lease_id, e.result_summary?.['by']])
        .sort(),
    ).toEqual(
      [
        [ids[0], 'deadline'],
        [ids[1], 'rotation'],
      ].sort(),
    );
    for (const id of ids)
      expect(zone.told.filter((event) => event.lease_id === id && event.final)).toHaveLength(1);
    await until('they are marked', async () =>
      (await zone.store.sql`select 1 from leases where session_id = any(${ids}) and told_at is null`)
        .length === 0
        ? true
        : undefined,
    );
    zone.clock.advance(60_000);
    expect(events()).toHaveLength(2);
  });

  test('replicas that find the same end write one event', async () => {
    await zone.replica();
    const { result } = await zone.issue({ ttl_seconds: 60 });
    const events = () =>
      zone.recorded.filter(
        (e) => e.event_type === 'lease.expired' && e.lease_id === result.session.session_id,
      );
    await until('the end', () => {
      zone.clock.advance(60_000);
      return events().length > 0 ? true : undefined;
    });
    await until('both have looked', () => (events().length === 2 ? true : undefined), 1_000).catch(
      () => undefined,
    );
    expect(new Set(events().map((e) => e.event_id)).size).toBe(1);
  });
});
