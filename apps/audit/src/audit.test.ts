import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createInProcessBroker } from '@adaos/bus/in-process';
import type { Bus } from '@adaos/bus';
import {
  canonicalJson,
  subjectOf,
  type ExecReply,
  type OperationalEvent,
  type StoredEvent,
} from '@adaos/contracts';
import { createRecorder, randomIds, silentLog, systemClock, type Recorder, type Stop } from '@adaos/runtime';
import { chainHash, deadLetters, leaseRows, readChain, type Store } from '@adaos/store';
import { testStore } from '@adaos/testing';
import { audit } from './module.js';

let n = 0;
const event = (over: Partial<OperationalEvent> = {}): OperationalEvent => ({
  event_id: `evt_${++n}`,
  event_type: 'tool.call',
  phase: 'closed',
  trace_id: 'a'.repeat(32),
  request_id: `r${n}`,
  surface: 'operations',
  zone: 'local',
  subnet_id: 's1',
  actor: 'mcp_session_lease:lse_1',
  auth_method: 'mcp_session_lease',
  lease_id: 'lse_1',
  target_id: 'hub:h1',
  tool_id: 'hub.get_status',
  plane_id: 'infra_ops',
  capability: 'hub.get_status',
  routing_class: 'operational_live_read',
  side_effect_class: 'none',
  policy_decision: 'allow',
  decision_id: 'dec_1',
  determining_rules: ['grant.holds_capability'],
  policy_revision: 'p1',
  policy_explanation: null,
  obligations: [],
  facts_digest: null,
  policy_facts: null,
  permit_id: null,
  approval_id: null,
  execution_adapter: null,
  dry_run: false,
  status: 'succeeded',
  started_at: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
  finished_at: null,
  arguments_digest: null,
  arguments_redacted: null,
  result_summary: null,
  error: null,
  redactions: [],
  timings: {},
  cause_event_id: null,
  client: {},
  source: 'root_local',
  attempt: 1,
  ...over,
});

describe('audit service', () => {
  const broker = createInProcessBroker();
  let bus: Bus;
  let store: Store;
  let recorder: Recorder;
  let stop: Stop;
  let closeStore: () => Promise<void>;

  beforeAll(async () => {
    ({ store, close: closeStore } = await testStore());
    bus = broker.connect('router');
    recorder = createRecorder({ bus, source: 'router' });
    stop = await audit.start({
      zone: 'local',
      bus: broker.connect('audit'),
      clock: systemClock,
      ids: randomIds,
      log: silentLog,
      store,
    });
  }, 60_000);
  afterAll(async () => {
    await stop();
    await broker.close();
    await closeStore();
  });

  const read = async (
    args: Record<string, unknown>,
    target_id: string | null = 'hub:h1',
    tool_id = 'operations.list_recent_events',
    grant: { subnet_id: string | null; role: string | null } = { subnet_id: null, role: 'viewer' },
  ) => {
    const request = {
      event_id: 'evt_q',
      request_id: 'q',
      trace_id: '0'.repeat(32),
      lease_id: 'l',
      actor: 'a',
      tool_id,
      target_id,
      subnet_id: null,
      arguments: args,
      arguments_digest: '',
      dry_run: false,
      grant,
    };
    const reply = await bus.request<ExecReply>(subjectOf('audit_exec'), request, { timeout_ms: 5_000 });
    return reply.result as { events: StoredEvent[]; next_cursor: string | null };
  };

  test('an event comes back as it was written, with its place in the chain', async () => {
    const written = event({
      error: { code: 'adapter_failed', message: 'x' },
      status: 'failed',
      client: { name: 'NUL \u0000 \ud800 ünï 😀' },
    });
    await recorder.record(written);
    const { events } = await read({ event_id: written.event_id });
    const { seq, prev_hash, hash, ...rest } = events[0]!;
    expect(rest).toEqual(JSON.parse(canonicalJson(written)));
    expect(hash).toBe(chainHash(prev_hash, canonicalJson(written), seq));
  });

  test('whoever is no operator reads neither policies nor facts, nor a place in the chain', async () => {
    const told = { policy_explanation: 'rule x: fact y', facts_digest: 'd', policy_facts: { call: {} } };
    const { event_id } = event(told);
    await recorder.record(event({ event_id, ...told }));
    expect((await read({ event_id })).events[0]).toMatchObject(told);
    const [seen] = (await read({ event_id }, 'hub:h1', undefined, { subnet_id: null, role: null })).events;
    expect([seen!.policy_explanation, seen!.facts_digest, seen!.policy_facts]).toEqual([null, null, null]);
    expect([seen!.seq, seen!.hash]).toEqual([undefined, undefined]);
  });

  test('opened and closed are one event; a second close changes nothing', async () => {
    const opened = event({ phase: 'opened', status: 'open' });
    await recorder.record(opened);
    expect((await read({ event_id: opened.event_id })).events[0]!.status).toBe('open');
    await recorder.record({ ...opened, phase: 'closed', status: 'succeeded' });
    await recorder.record({ ...opened, phase: 'closed', status: 'failed' });
    const { events } = await read({ event_id: opened.event_id });
    expect(events.map((e) => [e.status, e.phase])).toEqual([['succeeded', 'closed']]);
    await recorder.record({ ...opened, phase: 'late', status: 'timed_out' });
    expect((await read({ event_id: opened.event_id })).events[0]!.status).toBe('timed_out');
  });

  test('a lease reads its own target only, whatever it asks', async () => {
    const foreign = event({ target_id: 'hub:h2', lease_id: 'lse_2' });
    await recorder.record(foreign);
    expect((await read({ event_id: foreign.event_id })).events).toEqual([]);
    expect((await read({ lease_id: 'lse_2' })).events).toEqual([]);
    expect((await read({ event_id: foreign.event_id }, null)).events).toHaveLength(1);
  });

  test('a tenant reads its own subnet only, also of a target that was another’s before', async () => {
    const before = event({ target_id: 'hub:moved', subnet_id: 'tenant-a' });
    const after = event({ target_id: 'hub:moved', subnet_id: 'tenant-b' });
    await Promise.all([before, after].map((e) => recorder.record(e)));
    const seen = async (subnet_id: string, target_id: string | null) =>
      (await read({}, target_id, undefined, { subnet_id, role: null })).events.map((e) => e.event_id);
    for (const target_id of ['hub:moved', null]) {
      expect(await seen('tenant-a', target_id)).toEqual([before.event_id]);
      expect(await seen('tenant-b', target_id)).toEqual([after.event_id]);
    }
  });

  test('a key of one subnet sees no place in the chain, and no place of an event that is another’s', async () => {
    const [old, theirs, own] = ['tenant-k', 'tenant-l', 'tenant-k'].map((subnet_id) =>
      event({ target_id: 'hub:keyed', subnet_id }),
    ) as [OperationalEvent, OperationalEvent, OperationalEvent];
    for (const one of [old, theirs, own]) await recorder.record(one);
    const key = { subnet_id: 'tenant-k', role: 'operator' };
    const { events } = await read({}, null, undefined, key);
    expect(events.map((e) => e.event_id)).toEqual([own.event_id, old.event_id]);
    for (const name of ['seq', 'prev_hash', 'hash']) expect(events[0]).not.toHaveProperty(name);
    const after = async (one: OperationalEvent) => {
      const cursor = Buffer.from(JSON.stringify([one.event_id])).toString('base64url');
      return (await read({ cursor }, null, undefined, key)).events.map((e) => e.event_id);
    };
    expect([await after(own), await after(theirs)]).toEqual([[old.event_id], []]);
  });

  test('1,000 parallel uses of one lease count 1,000, through several routers and a broker that delivers twice', async () => {
    const lease_id = 'lse_used';
    const routers = [
      recorder,
      ...[1, 2].map(() => createRecorder({ bus: broker.connect('router'), source: 'router' })),
    ];
    const uses = Array.from({ length: 1_000 }, () =>
      event({ lease_id, target_id: 'hub:h6', tool_id: 'hub.get_status' }),
    );
    const last = event({ lease_id, target_id: 'hub:h6', tool_id: 'hub.get_logs' });
    uses.push(last);
    await Promise.all(uses.map((use, i) => routers[i % routers.length]!.record(use)));
    // A router whose acknowledgement was lost hands the same in again.
    await Promise.all(uses.slice(0, 100).map((use) => routers[1]!.record(use)));
    const [usage] = await leaseRows(store.sql).usage([lease_id]);
    expect(usage).toEqual({
      session_id: lease_id,
      use_count: 1_001,
      last_used_at: last.started_at,
      last_tool_id: 'hub.get_logs',
    });
  });

  test('activity is calls on the target, and errors_only leaves out what succeeded', async () => {
    await recorder.record(
      event({ target_id: 'hub:h3', status: 'denied', error: { code: 'skill_disabled', message: 'x' } }),
    );
    await recorder.record(event({ target_id: 'hub:h3' }));
    await recorder.record(event({ target_id: 'hub:h3', event_type: 'tool.list' }));
    const all = await read({}, 'hub:h3', 'hub.get_activity_log');
    expect(all.events.map((e) => e.status)).toEqual(['succeeded', 'denied']);
    const errors = await read({ errors_only: true }, 'hub:h3', 'hub.get_activity_log');
    expect(errors.events.map((e) => e.error?.code)).toEqual(['skill_disabled']);
  });

  test('pages read every event once, also with equal times', async () => {
    const at = new Date(Date.UTC(2026, 5, 1)).toISOString();
    const written = Array.from({ length: 10 }, () => event({ target_id: 'hub:h4', started_at: at }));
    await Promise.all(written.map((e) => recorder.record(e)));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof read>> = await read(
        { limit: 3, ...(cursor && { cursor }) },
        'hub:h4',
      );
      seen.push(...page.events.map((e) => e.event_id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen.sort()).toEqual(written.map((e) => e.event_id).sort());
  });

  test('a page of long events is cut to fit, and the next one goes on where it ended', async () => {
    const long = { truncated: false, text: 'x'.repeat(15_000) };
    const written = Array.from({ length: 60 }, () =>
      event({ target_id: 'hub:h5', arguments_redacted: long }),
    );
    await Promise.all(written.map((e) => recorder.record(e)));
    const first = await read({ limit: 200 }, 'hub:h5');
    expect(first.events.length).toBeGreaterThan(30);
    expect(first.events.length).toBeLessThan(60);
    const rest = await read({ limit: 200, cursor: first.next_cursor! }, 'hub:h5');
    expect(first.events.length + rest.events.length).toBe(60);
    expect(new Set([...first.events, ...rest.events].map((e) => e.event_id)).size).toBe(60);
    expect(rest.next_cursor).toBeNull();
  });

  test('a record that the table can not take goes to the dead letters, the rest of its batch lands', async () => {
    const good = event();
    const bad = event({ started_at: 'not a time' });
    await Promise.all([recorder.record(good), recorder.record(bad)]);
    expect((await read({ event_id: good.event_id })).events).toHaveLength(1);
    expect((await deadLetters(store.sql, 10)).map((d) => JSON.parse(d.body).event_id)).toEqual([
      bad.event_id,
    ]);
  });

  test('the chain has no gap and every link holds', async () => {
    const chain = await readChain(store.sql, 'local', 0, 1_000);
    expect(chain.map((c) => c.seq)).toEqual(chain.map((_, i) => i + 1));
    const broken = chain.filter(
      (c, i) =>
        c.hash !== chainHash(c.prev_hash, c.body, c.seq) || (i > 0 && c.prev_hash !== chain[i - 1]!.hash),
    );
    expect(broken).toEqual([]);
    expect(chain.length).toBeGreaterThan(15);
  });
});
