import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ExecReply, StoredEvent } from '@adaos/contracts';
import { until } from '@adaos/testing';
import { startSpine, succeeded, type Spine } from './spine.js';

describe('revocation', () => {
  let spine: Spine;
  let hub: Awaited<ReturnType<Spine['hub']>>;
  let release: (reply: ExecReply) => void = () => undefined;
  const told: unknown[] = [];

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
    hub = await spine.hub('h1', () => new Promise((done) => (release = done)));
    hub.serve('hub_cancel', async (body) => void told.push(body));
    hub.serve('hub_control', async (body) => void told.push(body));
    await hub.report();
  }, 60_000);
  afterAll(() => spine.stop(), 30_000);

  test('the caller of a write is answered as soon as its lease is gone, the hub is told, and the record waits for the truth', async () => {
    const issued = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'InfraOpsControl',
    });
    const { bearer, session } = issued.result as { bearer: string; session: { session_id: string } };
    const pending = spine.call(bearer, 'hub.restart_service', { service: 'web' }, { request_id: 'fenced' });
    const asked = await until('the hub to be asked', () => hub.seen[0]);
    await spine.operator('hub.revoke_mcp_session', { session_id: session.session_id });
    // The hub has not answered yet: nothing but the revocation can have ended the wait.
    const answer = await pending;
    expect(answer).toMatchObject({ ok: false, status: 'denied', error: { code: 'lease_revoked' } });
    expect(answer.result).toBeUndefined();
    expect(answer.audit_event_id).toBe(asked.event_id);
    expect(told).toEqual(
      expect.arrayContaining([
        { event_id: asked.event_id },
        { verb: 'lease_revoked', lease_id: session.session_id },
      ]),
    );
    const stored = async () => {
      const { result } = await spine.operator('operations.list_recent_events', { event_id: asked.event_id });
      return (result as { events: StoredEvent[] }).events[0]!;
    };
    expect(await stored()).toMatchObject({ status: 'open' });
    release(succeeded());
    const closed = await until('the outcome', async () => {
      const event = await stored();
      return event.status === 'open' ? undefined : event;
    });
    expect(closed).toMatchObject({ status: 'succeeded', execution_adapter: 'test', error: null });
  });
});
