import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Bus } from '@adaos/bus';
import { subjectOf, type ExecReply, type ExecRequest } from '@adaos/contracts';
import { until } from '@adaos/testing';
import { startSpine, succeeded, type Spine } from './spine.js';

/** A call on its way, with the hub's behaviour in the test's hands. */
describe('calls', () => {
  let spine: Spine;
  let hub: Awaited<ReturnType<Spine['hub']>>;
  let facade: Bus;
  let answer: (request: ExecRequest) => Promise<ExecReply> = async () => succeeded();
  const steps: Record<string, unknown>[] = [];

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    facade = spine.connect('facade');
    facade.subscribe(subjectOf('call_progress'), (body) => steps.push(body as (typeof steps)[0]));
    const policy = {
      write_scope: 'test-only',
      allowed_services: ['web'],
      allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
    };
    for (const hub_id of ['h1', 'h2']) {
      await spine.operator('operations.register_target', {
        hub_id,
        environment: 'test',
        subnet_id: 's1',
        policy,
      });
      await spine.operator('operations.set_skill_state', { target_id: `hub:${hub_id}`, state: 'enabled' });
    }
    hub = await spine.hub('h1', (request) => answer(request));
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
  /** Starts a call that the hub holds until `release`. */
  async function held(call_id: string, more: object = { progress: true }, tool_id = 'hub.get_status') {
    const { bearer, session } = await lease();
    let release: (reply?: ExecReply) => void = () => undefined;
    answer = () => new Promise((done) => (release = (reply = succeeded()) => done(reply)));
    const before = hub.seen.length;
    const args = tool_id === 'hub.get_status' ? {} : { service: 'web' };
    const envelope = spine.call(bearer, tool_id, args, { call_id, ...more });
    const exec = await until('the hub to be asked', () => hub.seen[before]);
    return { envelope, exec, session, release: (reply?: ExecReply) => release(reply) };
  }
  const stepsOf = (call_id: string) => steps.filter((step) => step['call_id'] === call_id);
  /** What was published before this was heard has been handled. */
  const settled = async (call_id: string, event_id: string) => {
    hub.bus.publish(subjectOf('hub_progress', 'h1'), { event_id, progress: 1_000 });
    await until('the marker', () => stepsOf(call_id).find((step) => step['progress'] === 1_000));
  };

  test('progress of a hub counts for the calls it runs, and for no other', async () => {
    const call = await held('req_progress_own');
    const { event_id } = call.exec;
    expect(call.exec.progress).toBe(true);
    const other = spine.connect('hub', 'h2');
    other.publish(subjectOf('hub_progress', 'h2'), { event_id, progress: 7, message: 'from another hub' });
    spine
      .connect('descriptor')
      .publish(subjectOf('exec_progress'), { event_id, progress: 8, message: 'from root' });
    for (const odd of [
      { event_id, progress: -1 },
      { event_id, progress: 'x' },
      { event_id, progress: 9, extra: 1 },
      null,
    ])
      hub.bus.publish(subjectOf('hub_progress', 'h1'), odd);
    hub.bus.publish(subjectOf('hub_progress', 'h1'), { event_id: 'evt_unknown', progress: 3 });
    hub.bus.publish(subjectOf('hub_progress', 'h1'), {
      event_id,
      progress: 10,
      message: 'password=hunter2hunter2hunter2',
    });
    await settled('req_progress_own', event_id);
    call.release();
    expect((await call.envelope).ok).toBe(true);
    expect(stepsOf('req_progress_own').map((step) => step['progress'])).toEqual([10, 1_000]);
    expect(JSON.stringify(steps)).not.toContain('hunter2');
    hub.bus.publish(subjectOf('hub_progress', 'h1'), { event_id, progress: 2_000 });
    const next = await held('req_progress_next');
    await settled('req_progress_next', next.exec.event_id);
    next.release();
    await next.envelope;
    expect(stepsOf('req_progress_own')).toHaveLength(2);
  });

  test('a hub may not put questions before a user', async () => {
    const { bearer } = await lease();
    const input = {
      requests: { who: { method: 'elicitation/create', params: { message: 'Password?' } } },
      state: null,
    };
    for (const reply of [{ input, status: 'input_required' }, { status: 'input_required' }, { input }]) {
      answer = async () => ({ ...succeeded(), ...reply }) as ExecReply;
      const envelope = await spine.call(
        bearer,
        'hub.get_status',
        {},
        {
          input: { accepts: ['elicitation.form'], responses: {}, state: null },
        },
      );
      expect(envelope.error).toMatchObject({
        code: 'adapter_failed',
        details: { reason: 'reply_breaks_contract' },
      });
      expect(envelope).not.toHaveProperty('input');
    }
  });

  test('without a listener the hub is not asked for steps, and none go out', async () => {
    const call = await held('req_progress_none', {});
    expect(call.exec).not.toHaveProperty('progress');
    hub.bus.publish(subjectOf('hub_progress', 'h1'), { event_id: call.exec.event_id, progress: 1 });
    call.release();
    await call.envelope;
    expect(stepsOf('req_progress_none')).toEqual([]);
  });

  test('a revoked lease hears no more steps of its write, which goes on', async () => {
    const call = await held('req_progress_revoked', { progress: true }, 'hub.restart_service');
    await spine.operator('hub.revoke_mcp_session', { session_id: call.session.session_id });
    hub.bus.publish(subjectOf('hub_progress', 'h1'), { event_id: call.exec.event_id, progress: 1 });
    // Steps are handled in the order they came in: once this one is through, the other one was.
    const other = await held('req_progress_marker');
    await settled('req_progress_marker', other.exec.event_id);
    other.release();
    call.release();
    expect((await call.envelope).error?.code).toBe('lease_revoked');
    expect(stepsOf('req_progress_revoked')).toEqual([]);
  });
});
