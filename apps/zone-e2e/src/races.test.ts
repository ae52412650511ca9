import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { subjectOf, type ExecReply, type StoredEvent } from '@adaos/contracts';
import { until } from '@adaos/testing';
import { startSpine, succeeded, type Spine } from './spine.js';

/** What happens when two things happen at once: each case by name, with the record as the judge. */
describe('races', () => {
  let spine: Spine;
  let hub: Awaited<ReturnType<Spine['hub']>>;
  let answer: () => Promise<ExecReply> = async () => succeeded();

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    const policy = {
      write_scope: 'test-only',
      allowed_services: ['web'],
      allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
    };
    await spine.operator('operations.register_target', {
      hub_id: 'h1',
      environment: 'test',
      subnet_id: 's1',
      policy,
    });
    await spine.operator('operations.set_skill_state', { target_id: 'hub:h1', state: 'enabled' });
    hub = await spine.hub('h1', () => answer());
    await hub.report();
  }, 60_000);
  afterAll(() => spine.stop(), 30_000);

  const lease = async () => {
    const issued = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'InfraOpsControl',
    });
    return issued.result as { bearer: string; session: { session_id: string } };
  };
  const restart = (bearer: string, request_id: string) =>
    spine.call(
      bearer,
      'hub.restart_service',
      { service: 'web' },
      { request_id, call_id: `req_${request_id}` },
    );
  const stored = (event_id: string, settled: (event: StoredEvent) => boolean = () => true) =>
    until('the event', async () => {
      const { result } = await spine.operator('operations.list_recent_events', { event_id });
      const event = (result as { events: StoredEvent[] }).events[0];
      return event && settled(event) ? event : undefined;
    });
  /** Holds the hub's answer until told. */
  const held = () => {
    let release: (reply: ExecReply) => void = () => undefined;
    answer = () => new Promise((done) => (release = done));
    return (reply = succeeded()) => {
      release(reply);
      answer = async () => succeeded();
    };
  };
  /** Keeps every record from the table until told. */
  const heldRecord = async () => {
    const locked = await spine.store.sql.reserve();
    await locked`begin`;
    await locked`lock table event_records in access exclusive mode`;
    return async () => {
      await locked`commit`;
      locked.release();
    };
  };

  test('revoked while its write runs: no result for the caller, the outcome in the record', async () => {
    const { bearer, session } = await lease();
    const release = held();
    const before = hub.seen.length;
    const pending = restart(bearer, 'revoked-write');
    await until('the hub to be asked', () => hub.seen[before]);
    await spine.operator('hub.revoke_mcp_session', { session_id: session.session_id });
    release();
    const told = await pending;
    expect(told).toMatchObject({ ok: false, status: 'denied', error: { code: 'lease_revoked' } });
    expect(told.result).toBeUndefined();
    expect(await stored(told.audit_event_id!, (e) => e.status !== 'open')).toMatchObject({
      status: 'succeeded',
      execution_adapter: 'test',
      error: null,
    });
  });

  test('revoked or cancelled while its opening record is awaited: nothing reaches the hub', async () => {
    for (const how of ['revoked', 'cancelled'] as const) {
      const { bearer, session } = await lease();
      await spine.call(bearer, 'hub.get_status');
      const before = hub.seen.length;
      const unlock = await heldRecord();
      const pending = restart(bearer, `waiting-${how}`);
      // The write is at its record once a later read of the same lease has been decided and waits there too.
      const behind = spine.call(bearer, 'hub.get_status');
      await until('the read to have run', () =>
        hub.seen.find((r, i) => i >= before && r.tool_id === 'hub.get_status'),
      );
      if (how === 'revoked') {
        spine.connect('session').publish(subjectOf('lease_revoked'), {
          lease_id: session.session_id,
          target_id: 'hub:h1',
          epoch: 0,
        });
      } else {
        spine.connect('facade').publish(subjectOf('call_cancelled'), {
          call_id: `req_waiting-${how}`,
          reason: 'client_disconnected',
        });
      }
      await unlock();
      const told = await pending;
      await behind;
      expect([how, told.error?.code]).toEqual([how, how === 'revoked' ? 'lease_revoked' : 'cancelled']);
      expect(hub.seen.slice(before).map((r) => r.tool_id)).toEqual(['hub.get_status']);
    }
  });

  test('a hub that tells its outcome late completes the record, and can not rewrite one that was closed', async () => {
    const { bearer, session } = await lease();
    const release = held();
    const before = hub.seen.length;
    const completed: unknown[] = [];
    spine.connect('facade').subscribe(subjectOf('record_completed'), (body) => completed.push(body));
    const pending = restart(bearer, 'late');
    const asked = await until('the hub to be asked', () => hub.seen[before]);
    await stored(asked.event_id);
    const tell = (event_id: string, request_id: string, reply: ExecReply) =>
      hub.bus.request(
        subjectOf('hub_event', 'h1'),
        { event_id, request_id, lease_id: session.session_id, reply },
        { timeout_ms: 5_000 },
      );
    await tell(asked.event_id, 'late', { ...succeeded(), adapter: 'told-late' });
    // Whoever still waits hears it at once, without the hub's own answer.
    expect(await pending).toMatchObject({ ok: true, audit_event_id: asked.event_id });
    release();
    // Told to whoever watches that event, and of no event that was answered with its outcome.
    await until('the announcement', () => (completed.length > 0 ? true : undefined));
    expect(completed).toEqual([{ event_id: asked.event_id }]);
    expect(await stored(asked.event_id, (e) => e.phase === 'late')).toMatchObject({
      status: 'succeeded',
      execution_adapter: 'told-late',
    });
    const failed: ExecReply = {
      ...succeeded(),
      status: 'failed',
      error: { code: 'adapter_failed', message: 'x' },
    };
    await expect(tell(asked.event_id, 'late', failed)).rejects.toMatchObject({ code: 'forbidden' });
    const read = await spine.call(bearer, 'hub.get_status');
    await stored(read.audit_event_id!);
    await expect(tell(read.audit_event_id!, read.request_id, failed)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  test('arguments of any size leave a record, and harm nobody beside them', async () => {
    const { bearer } = await lease();
    const text = 'password=x '.repeat(40_000);
    const calls = await Promise.all([
      spine.call(bearer, 'hub.get_logs', { contains: text }),
      spine.call(bearer, 'hub.get_logs', { contains: text }),
      restart(bearer, 'innocent'),
      spine.call(bearer, 'hub.get_status'),
    ]);
    expect(calls.map((c) => c.error?.code ?? 'ok')).toEqual([
      'invalid_argument',
      'invalid_argument',
      'ok',
      'ok',
    ]);
    expect((await stored(calls[0]!.audit_event_id!)).arguments_redacted).toEqual({
      truncated: true,
      bytes: expect.any(Number),
    });
    expect(calls.every((c) => c.audit_event_id !== null)).toBe(true);
  });

  test('an event that breaks its contract changes nothing and takes nobody down', async () => {
    const { bearer } = await lease();
    const junk = spine.connect('session');
    for (const body of [null, [], { lease_id: 5 }, { lease_id: 'x'.repeat(100), target_id: 'a', epoch: 1 }])
      junk.publish(subjectOf('lease_revoked'), body);
    spine.connect('facade').publish(subjectOf('call_cancelled'), { call_id: {} });
    expect((await spine.call(bearer, 'hub.get_status')).ok).toBe(true);
  });
});
