import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  sha256,
  subjectOf,
  type Envelope,
  type ExecReply,
  type Standing,
  type StoredEvent,
} from '@adaos/contracts';
import { until } from '@adaos/testing';
import { startSpine, succeeded, type Spine } from './spine.js';

describe('spine', () => {
  let spine: Spine;
  let bearer: string;
  let hub: Awaited<ReturnType<Spine['hub']>>;
  let answer: () => Promise<ExecReply> = async () => succeeded();

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    await spine.operator('operations.register_target', {
      hub_id: 'h1',
      environment: 'test',
      subnet_id: 's1',
      policy: {
        write_scope: 'test-only',
        allowed_services: ['web'],
        allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
      },
    });
    await spine.operator('operations.set_skill_state', { target_id: 'hub:h1', state: 'enabled' });
    hub = await spine.hub('h1', () => answer());
    await hub.report();
    const issued = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'InfraOpsControl',
    });
    bearer = (issued.result as { bearer: string }).bearer;
  }, 60_000);
  afterAll(() => spine.stop(), 30_000);

  const restart = (request_id: string) =>
    spine.call(bearer, 'hub.restart_service', { service: 'web' }, { request_id });
  const stored = (event_id: string) =>
    until('the event', async () => {
      const { result } = await spine.operator('operations.list_recent_events', { event_id });
      return (result as { events: StoredEvent[] } | undefined)?.events[0];
    });

  test('a write waits for its opening record: nothing reaches the hub before it is durable', async () => {
    const before = hub.seen.length;
    // The table is locked, so the opening record waits for its commit.
    const locked = await spine.store.sql.reserve();
    await locked`begin`;
    await locked`lock table event_records in access exclusive mode`;
    const pending = restart('held');
    // A later call that needs no record has gone all the way: the write had its chance to overtake.
    await spine
      .connect('router')
      .request(subjectOf('policy_decide'), {}, { timeout_ms: 5_000 })
      .catch(() => undefined);
    expect(hub.seen.length).toBe(before);
    await locked`commit`;
    locked.release();
    expect(await pending).toMatchObject({ ok: true, status: 'succeeded' });
    expect(hub.seen.slice(before).map((r) => r.request_id)).toEqual(['held']);
  });

  test('with the record away a write is refused and the hub hears nothing', async () => {
    await spine.stopRecord();
    const before = hub.seen.length;
    const refused = await restart('unrecorded');
    expect(refused).toMatchObject({
      ok: false,
      status: 'failed',
      error: { code: 'audit_unavailable' },
    });
    expect(hub.seen.length).toBe(before);
    await spine.startRecord();
    // The refusal waited in the spool: an id that may never be stored is not handed out, but the event is there in the end.
    expect(refused.audit_event_id).toBeNull();
    const spooled = await until('the refusal', async () => {
      const { result } = await spine.operator('operations.list_recent_events', {
        tool_id: 'hub.restart_service',
      });
      return (result as { events: StoredEvent[] }).events.find((e) => e.request_id === 'unrecorded');
    });
    expect(spooled).toMatchObject({ status: 'failed', error: { code: 'audit_unavailable' } });
    expect(await restart('recorded')).toMatchObject({ ok: true });
  }, 30_000);

  test('a hub whose agent is gone answers target_offline at once', async () => {
    await hub.exec.stop();
    const began = performance.now();
    const gone = await spine.call(bearer, 'hub.get_status');
    expect(gone).toMatchObject({ ok: false, status: 'failed', error: { code: 'target_offline' } });
    // At once: a fraction of the tool's ten seconds.
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(await stored(gone.audit_event_id!)).toMatchObject({
      status: 'failed',
      error: { code: 'target_offline' },
    });
    hub = await spine.hub('h1', () => answer());
  });

  test('three missed heartbeats make a target offline, and a report brings it back', async () => {
    await hub.report();
    spine.clock.advance(2_999);
    expect((await spine.call(bearer, 'hub.get_status')).ok).toBe(true);
    spine.clock.advance(1);
    const late = await spine.call(bearer, 'hub.get_status');
    expect(late).toMatchObject({ status: 'denied', error: { code: 'target_offline' } });
    await hub.report();
    expect((await spine.call(bearer, 'hub.get_status')).ok).toBe(true);
  });

  test('standings tell which bearers hold and what they list, and leave no event', async () => {
    const ask = async (bearers: string[], lists = true) =>
      (
        await spine
          .connect('facade')
          .request<{ standings: Standing[] }>(
            subjectOf('router_standing'),
            { bearer_digests: bearers.map(sha256), lists },
            { timeout_ms: 5_000 },
          )
      ).standings;
    const count = async () =>
      Number((await spine.store.sql`select count(*) as n from event_records`)[0]!['n']);
    await hub.report();
    const before = await count();
    const [live, nobody] = await ask([bearer, 'nobody']);
    expect([live?.code, nobody]).toEqual([null, { code: 'unauthenticated', digest: null }]);
    expect(await ask([bearer], false)).toEqual([{ code: null, digest: null }]);
    await hub.report({ capabilities: ['hub.get_status'] });
    const [fewer] = await ask([bearer]);
    expect([fewer?.code, fewer?.digest === live?.digest]).toEqual([null, false]);
    await hub.report();
    expect(await ask([bearer])).toEqual([live]);
    expect(await count()).toBe(before);
  });

  test('an older or replayed report is refused, a forged id has no subject', async () => {
    await hub.report({ cursor: 1_000_000 });
    expect(await hub.report({ cursor: 999_999 })).toMatchObject({ accepted: false });
    expect(await hub.report({ cursor: 1_000_001 })).toMatchObject({ accepted: true });
    await expect(
      hub.bus.request(subjectOf('hub_report', 'h2'), {}, { timeout_ms: 1_000 }),
    ).rejects.toMatchObject({ fault: 'forbidden' });
    await hub.report({ epoch: 'e2', cursor: 1 });
  });

  test('a write asks policy each time and carries a permit of its own; a read reuses one', async () => {
    const before = hub.seen.length;
    await spine.call(bearer, 'hub.get_status');
    await spine.call(bearer, 'hub.get_status');
    await restart('w1');
    await restart('w2');
    const permits = hub.seen.slice(before).map((r) => r.permit);
    expect(permits.every((p) => typeof p === 'string')).toBe(true);
    expect(permits[0]).toBe(permits[1]);
    expect(permits[2]).not.toBe(permits[3]);
    expect(hub.seen.slice(before).some((r) => 'grant' in r)).toBe(false);
  });

  test('a lease taken back while a read runs gets no result; the record says so', async () => {
    const issued = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'InfraOpsRead',
    });
    const { bearer: doomed, session } = issued.result as { bearer: string; session: { session_id: string } };
    let release: () => void = () => undefined;
    answer = () => new Promise((done) => (release = () => done(succeeded({ secret: 'state' }))));
    const before = hub.seen.length;
    const pending = spine.call(doomed, 'hub.get_status');
    await until('the hub to be asked', () => (hub.seen.length > before ? true : undefined));
    await spine.operator('hub.revoke_mcp_session', { session_id: session.session_id });
    const withheld = await pending;
    release();
    answer = async () => succeeded();
    expect(withheld).toMatchObject({ ok: false, error: { code: 'lease_revoked' } });
    expect(withheld.result).toBeUndefined();
    expect(await stored(withheld.audit_event_id!)).toMatchObject({ error: { code: 'lease_revoked' } });
  });

  test('a client that goes away ends its read at once, on the hub too, and the record says why', async () => {
    const told: unknown[] = [];
    const cancel = hub.serve('hub_cancel', async (body) => void told.push(body));
    let release: () => void = () => undefined;
    answer = () => new Promise((done) => (release = () => done(succeeded())));
    const before = hub.seen.length;
    const pending = spine.call(bearer, 'hub.get_status', {}, { call_id: 'req_gone' });
    const asked = await until('the hub to be asked', () => hub.seen[before]);
    spine
      .connect('facade')
      .publish(subjectOf('call_cancelled'), { call_id: 'req_other', reason: 'cancelled' });
    spine
      .connect('facade')
      .publish(subjectOf('call_cancelled'), { call_id: 'req_gone', reason: 'client_disconnected' });
    const ended = await pending;
    release();
    answer = async () => succeeded();
    expect(ended).toMatchObject({
      status: 'cancelled',
      error: { code: 'cancelled', details: { reason: 'client_disconnected' } },
    });
    expect(await stored(ended.audit_event_id!)).toMatchObject({ status: 'cancelled' });
    expect(await until('the hub to be told', () => told[0])).toEqual({ event_id: asked.event_id });
    await cancel.stop();
  });

  test('a reply that breaks its contract is the hub at fault and goes to nobody', async () => {
    answer = async () => ({ status: 'succeeded', secret: 1 }) as unknown as ExecReply;
    const broken = await spine.call(bearer, 'hub.get_status');
    answer = async () => succeeded();
    expect(broken).toMatchObject({
      ok: false,
      status: 'failed',
      error: { code: 'adapter_failed', details: { reason: 'reply_breaks_contract' } },
    });
  });

  test('a write whose router died is closed from the hub journal', async () => {
    let release: () => void = () => undefined;
    answer = () => new Promise((done) => (release = () => done(succeeded())));
    const before = hub.seen.length;
    const lost = restart('orphan');
    const asked = await until('the hub to be asked', () =>
      hub.seen.slice(before).find((r) => r.request_id === 'orphan'),
    );
    answer = async () => succeeded();
    const control = hub.serve('hub_control', async (body) => {
      expect(body).toMatchObject({ verb: 'outcome', request_id: 'orphan', event_id: asked.event_id });
      return { known: true, reply: succeeded({ service: 'web' }) };
    });
    // The opening record is as old as a lost one: recovery asks the hub and closes it.
    await spine.store.sql`update open_events set recorded_at = recorded_at - interval '1 hour'`;
    spine.clock.advance(1_000);
    const closed = await until('the close', async () => {
      const event = await stored(asked.event_id);
      return event.status === 'open' ? undefined : event;
    });
    expect(closed).toMatchObject({
      status: 'succeeded',
      result_summary: { recovered: true },
      request_id: 'orphan',
    });
    await control.stop();
    // The router was only slow after all: its own close changes nothing any more.
    release();
    expect(await lost).toMatchObject({ ok: true, audit_event_id: asked.event_id });
    expect(await stored(asked.event_id)).toMatchObject({ result_summary: { recovered: true } });
  });

  test('1,000 parallel calls of one lease leave 1,000 events and count 1,000 uses', async () => {
    const issued = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'InfraOpsRead',
    });
    const { bearer: busy, session } = issued.result as { bearer: string; session: { session_id: string } };
    const answers: Envelope[] = [];
    for (let round = 0; round < 40; round++)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: 25 }, () => spine.call(busy, 'operations.get_managed_target')),
        )),
      );
    expect(answers.filter((a) => a.ok)).toHaveLength(1_000);
    expect(new Set(answers.map((a) => a.audit_event_id)).size).toBe(1_000);
    const list = await spine.operator('hub.list_mcp_sessions', { session_id: session.session_id });
    expect((list.result as { sessions: { use_count: number }[] }).sessions[0]!.use_count).toBe(1_000);
  }, 60_000);

  test('a rate above the contract is refused with the time to wait, and recorded', async () => {
    const issued = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'InfraOpsControl',
    });
    const { bearer: eager } = issued.result as { bearer: string };
    let refused: Envelope | undefined;
    for (let n = 0; n <= 30 && !refused; n++) {
      const one = await spine.call(eager, 'hub.restart_service', { service: 'web', dry_run: true });
      if (!one.ok) refused = one;
      expect(n).toBeLessThanOrEqual(30);
    }
    expect(refused).toMatchObject({
      status: 'denied',
      error: { code: 'rate_limited', details: { retry_after_ms: expect.any(Number) } },
    });
    expect(await stored(refused!.audit_event_id!)).toMatchObject({
      status: 'denied',
      error: { code: 'rate_limited' },
    });
  });
});
