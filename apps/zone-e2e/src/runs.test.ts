import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Bus } from '@adaos/bus';
import {
  sha256,
  subjectOf,
  type ExecReply,
  type ExecRequest,
  type RunVerb,
  type RunView,
  type StartedRun,
  type StoredEvent,
} from '@adaos/contracts';
import { randomIds } from '@adaos/runtime';
import { runRows } from '@adaos/store';
import { until } from '@adaos/testing';
import { startSpine, succeeded, type Spine } from './spine.js';

/** Calls that go on after their caller was answered. */
describe('runs', () => {
  let spine: Spine;
  let hub: Awaited<ReturnType<Spine['hub']>>;
  let facade: Bus;
  let answer: (request: ExecRequest) => Promise<ExecReply> = async () => succeeded();
  let journal: (event_id: string) => unknown = () => ({ known: false });
  const stopped: unknown[] = [];

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    facade = spine.connect('facade');
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
    hub = await spine.hub('h1', (request) => answer(request));
    hub.serve('hub_cancel', async (body) => void stopped.push(body));
    hub.serve('hub_control', async (body) => {
      const { verb, event_id } = body as { verb: string; event_id: string };
      return verb === 'outcome' ? journal(event_id) : {};
    });
    await hub.report();
  }, 60_000);
  afterAll(() => spine.stop(), 30_000);

  const who = (bearer: string) => ({
    bearer_digest: sha256(bearer),
    zone: null,
    subnet_id: null,
    client: { name: 'test', version: '0', via: 'mcp' as const, address: '' },
  });
  const lease = async () => {
    const { result } = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'InfraOpsControl',
    });
    return result as { bearer: string; session: { session_id: string } };
  };
  const start = (bearer: string, args: object = { service: 'web' }, name = 'hub.restart_service') =>
    facade.request<StartedRun>(
      subjectOf('router_start_run'),
      { ...who(bearer), call_id: randomIds.next('req'), name, arguments: args },
      { timeout_ms: 30_000 },
    );
  const look = async (bearer: string, run_id: string, verb: RunVerb = 'get') =>
    (
      await facade.request<{ view: RunView | null }>(
        subjectOf('router_run'),
        { ...who(bearer), run_id, verb },
        { timeout_ms: 5_000 },
      )
    ).view;
  /** Starts a run that the hub holds until `release`. */
  async function held() {
    const { bearer, session } = await lease();
    let release: (reply?: ExecReply) => void = () => undefined;
    answer = () => new Promise((done) => (release = (reply = succeeded()) => done(reply)));
    const before = hub.seen.length;
    const { run } = await start(bearer);
    const exec = await until('the hub to be asked', () => hub.seen[before]);
    return { bearer, session, run: run!, exec, release: (reply?: ExecReply) => release(reply) };
  }
  const ended = (bearer: string, run_id: string) =>
    until('the run to end', async () => {
      const view = await look(bearer, run_id);
      return view && view.run.status !== 'working' ? view : undefined;
    });
  const event = (event_id: string) =>
    until('the event', async () => {
      const { result } = await spine.operator('operations.list_recent_events', { event_id });
      return (result as { events: StoredEvent[] }).events[0];
    });

  test('is answered while it goes on, shows how far it has come, then what came of it', async () => {
    const { bearer, run, exec, release } = await held();
    expect(run).toMatchObject({
      status: 'working',
      tool_id: 'hub.restart_service',
      target_id: 'hub:h1',
      event_id: exec.event_id,
    });
    expect(exec.progress).toBe(true);
    hub.bus.publish(subjectOf('hub_progress', 'h1'), {
      event_id: exec.event_id,
      progress: 1,
      total: 3,
      message: 'stopping web',
    });
    await until('the step', async () =>
      (await look(bearer, run.run_id))?.run.progress?.progress === 1 ? true : undefined,
    );
    expect(await look(bearer, run.run_id)).toMatchObject({ run: { status: 'working' }, outcome: null });
    release(succeeded({ service: 'web' }));
    expect(await ended(bearer, run.run_id)).toMatchObject({
      run: { status: 'completed', progress: { message: 'stopping web' } },
      outcome: { ok: true, result: { service: 'web' }, audit_event_id: exec.event_id },
    });
    expect((await event(exec.event_id)).status).toBe('succeeded');
  });

  test('belongs to its lease: to another it does not exist, and an operator sees no result', async () => {
    const { bearer, run, release } = await held();
    const other = await lease();
    for (const verb of ['get', 'update', 'cancel'] as const)
      expect(await look(other.bearer, run.run_id, verb)).toBeNull();
    release(succeeded({ secretive: 'yes' }));
    await ended(bearer, run.run_id);
    expect(await look(other.bearer, run.run_id)).toBeNull();
    const shown = await spine.operator('operations.get_run', { run_id: run.run_id });
    expect(shown.result).toMatchObject({
      run: { run_id: run.run_id, status: 'completed' },
      status: 'succeeded',
      error: null,
    });
    expect(JSON.stringify(shown)).not.toContain('secretive');
    await expect(look('nobody', run.run_id)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('a refusal, a dry run and a tool that does not go on are answered at once', async () => {
    const { bearer } = await lease();
    answer = async () => succeeded({ would: [] });
    expect((await start(bearer, {})).envelope?.error?.code).toBe('invalid_argument');
    expect((await start(bearer, { service: 'other' })).envelope?.ok).toBe(false);
    expect((await start(bearer, { service: 'web', dry_run: true })).envelope).toMatchObject({
      ok: true,
      dry_run: true,
    });
    expect((await start(bearer, {}, 'hub.get_status')).envelope?.ok).toBe(true);
    expect((await start('nobody')).envelope?.error?.code).toBe('unauthenticated');
  });

  test('a cancel reaches the hub; the run shows what the hub made of it, and the record who asked', async () => {
    const { bearer, run, exec, release } = await held();
    await look(bearer, run.run_id, 'cancel');
    await until('the hub to be told', () =>
      stopped.find((body) => (body as { event_id: string }).event_id === exec.event_id),
    );
    const error = { code: 'cancelled', message: 'Stopped.' };
    release({ ...succeeded(), status: 'cancelled', result: undefined, error } as ExecReply);
    expect(await ended(bearer, run.run_id)).toMatchObject({
      run: { status: 'cancelled' },
      outcome: { status: 'cancelled' },
    });
    const asked = await until('the event', async () => {
      const { result } = await spine.operator('operations.list_recent_events', {
        event_type: 'run.cancel_requested',
      });
      return (result as { events: StoredEvent[] }).events.find(
        ({ cause_event_id }) => cause_event_id === exec.event_id,
      );
    });
    expect(asked.result_summary).toEqual({ run_id: run.run_id });
    const told = stopped.length;
    await look(bearer, run.run_id, 'cancel');
    expect(stopped).toHaveLength(told);
  });

  test('a lease taken back while it goes on: no result is kept, and the run is out of reach', async () => {
    const { bearer, session, run, exec, release } = await held();
    await spine.operator('hub.revoke_mcp_session', { session_id: session.session_id });
    release(succeeded({ service: 'web' }));
    const rows = runRows(spine.store.sql);
    const stored = await until('the outcome', async () => {
      const found = await rows.get(run.run_id, { zone: 'local' });
      return found?.outcome ? found : undefined;
    });
    expect(stored.outcome).toMatchObject({ ok: false, error: { code: 'lease_revoked' } });
    expect(stored.outcome).not.toHaveProperty('result');
    expect((await event(exec.event_id)).status).toBe('succeeded');
    await expect(look(bearer, run.run_id)).rejects.toMatchObject({ code: 'lease_revoked' });
  });

  describe('whose router has died', () => {
    /** A run left working, of a call that has this outcome in the record. */
    async function left(reply: ExecReply, kept: unknown) {
      const { bearer, session } = await lease();
      answer = async () => reply;
      const envelope = await spine.call(bearer, 'hub.restart_service', { service: 'web' });
      const event_id = envelope.audit_event_id!;
      journal = () => kept;
      const rows = runRows(spine.store.sql, { now: () => new Date(spine.clock.now()) });
      const run = await rows.create({
        run_id: randomIds.next('run'),
        zone: 'local',
        lease_id: session.session_id,
        event_id,
        call_id: randomIds.next('req'),
        tool_id: 'hub.restart_service',
        target_id: 'hub:h1',
        subnet_id: 's1',
        expires_at: new Date(spine.clock.now() + 3_600_000).toISOString(),
      });
      await event(event_id);
      return { bearer, run };
    }
    const recovered = async ({ bearer, run }: Awaited<ReturnType<typeof left>>) => {
      spine.clock.advance(7_000);
      await hub.report();
      return ended(bearer, run.run_id);
    };

    test('gets its result from the journal of the hub', async () => {
      const reply = succeeded({ service: 'web' });
      const run = await left(reply, { known: true, running: false, reply });
      expect(await recovered(run)).toMatchObject({
        run: { status: 'completed' },
        outcome: { ok: true, result: { service: 'web' }, audit_event_id: run.run.event_id },
      });
    });

    test('gets its failure from the record', async () => {
      const reply = {
        ...succeeded(),
        status: 'failed',
        result: undefined,
        error: { code: 'adapter_failed', message: 'No.' },
      };
      const run = await left(reply as ExecReply, { known: false });
      expect(await recovered(run)).toMatchObject({
        run: { status: 'completed' },
        outcome: { ok: false, error: { message: 'No.' } },
      });
    });

    test('says so when its result is with nobody any more', async () => {
      const run = await left(succeeded(), { known: false });
      expect(await recovered(run)).toMatchObject({
        outcome: { ok: false, error: { code: 'adapter_failed', details: { outcome: 'succeeded' } } },
      });
    });
  });
});
