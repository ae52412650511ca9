import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { AUDIT_STREAM, subjectOf } from '@adaos/contracts';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { connectNats, type NatsOptions } from './nats.js';
import { inboxPrefixOf } from './permissions.js';
import type { Bus, StreamMessage } from './port.js';
import { eventually, faultOf, gate, settled } from './suite/fixture.js';
import { passwordOf, startGuardedServer } from './suite/nats-fixture.js';
import { natsServerLeg, startNatsServer, type NatsServer } from './suite/nats-server.js';

/** A busy machine is no fault of the bus; what must be quick is measured by the test itself. */
jest.setTimeout(30_000);

const DECIDE = subjectOf('policy_decide');
const RECORD = subjectOf('audit_record', 'router');
const BOUNDS = { queue: 'policy', max_concurrency: 8 };
const OPTIONS = {
  stream: AUDIT_STREAM,
  subjects: [subjectOf('audit_record', '*')],
  durable: 'audit',
  max_batch: 50,
};
const LONG = { timeout_ms: 10_000 };

test('without a server the first connection fails with closed', async () => {
  expect(await faultOf(connectNats({ url: 'nats://127.0.0.1:1', name: 'test' }))).toBe('closed');
});

test('a subject prefix is a subject itself', async () => {
  const options = { url: 'nats://127.0.0.1:1', name: 'test', subject_prefix: 'a b' };
  expect(await faultOf(connectNats(options))).toBe('bad_subject');
});

natsServerLeg(() => {
  describe('an open server', () => {
    let server: NatsServer;
    let buses: Bus[] = [];
    let raw: NatsConnection;
    const logged: [object, string][] = [];
    const note = (fields: object, message: string) => void logged.push([fields, message]);
    const log = { info: note, warn: note, error: note };

    async function bus(options: Partial<NatsOptions> = {}): Promise<Bus> {
      const made = await connectNats({
        url: server.url,
        name: 'test',
        reconnect_wait_ms: 20,
        log,
        ...options,
      });
      buses.push(made);
      return made;
    }
    beforeEach(async () => {
      logged.length = 0;
      server = await startNatsServer();
      raw = await connect({
        servers: server.url,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 20,
        reconnectJitter: 0,
      });
    });
    afterEach(async () => {
      await Promise.all(buses.map((made) => made.close()));
      await raw.close();
      await server.stop();
      buses = [];
    });

    test('prefixes keep two users of one server apart', async () => {
      const [a, b] = [await bus({ subject_prefix: 'run_a.x' }), await bus({ subject_prefix: 'run_b' })];
      const subjects: string[] = [];
      a.serve(DECIDE, BOUNDS, async (_body, context) => subjects.push(context.subject));
      a.subscribe(subjectOf('lease_revoked'), (_body, subject) => subjects.push(subject));
      await settled(a, b);
      expect(await faultOf(b.request(DECIDE, {}, LONG))).toBe('no_responders');
      expect(await a.request(DECIDE, {}, LONG)).toBe(1);
      b.publish(subjectOf('lease_revoked'), {});
      await settled(b);
      a.publish(subjectOf('lease_revoked'), {});
      await eventually('the event', () => subjects.length === 2);
      expect(subjects).toEqual([DECIDE, 'mcp.v1.event.lease.revoked']);

      const got: [StreamMessage[], StreamMessage[]] = [[], []];
      const entry = { msg_id: 'm1', timeout_ms: 5_000 };
      await a.consume(OPTIONS, async (batch) => void got[0].push(...batch));
      expect(await faultOf(b.append(RECORD, 'of b', entry))).toBe('no_responders');
      await b.consume(OPTIONS, async (batch) => void got[1].push(...batch));
      await a.append(RECORD, 'of a', entry);
      await b.append(RECORD, 'of b', entry);
      await eventually('both records', () => got[0].length + got[1].length === 2);
      const record = { subject: RECORD, msg_id: 'm1', redelivered: false };
      expect(got).toEqual([[{ ...record, body: 'of a' }], [{ ...record, body: 'of b' }]]);
    });

    test('after the server came back everything goes on; meanwhile calls fail at once', async () => {
      const [router, policy, audit] = [await bus(), await bus(), await bus()];
      policy.serve(DECIDE, BOUNDS, async (body) => body);
      await settled(policy);
      const committed: string[] = [];
      await audit.consume(
        OPTIONS,
        async (batch) => void committed.push(...batch.map(({ msg_id }) => msg_id)),
      );
      await router.append(RECORD, {}, { msg_id: 'before', timeout_ms: 5_000 });
      await eventually('the first record', () => committed.length === 1);

      await server.kill();
      await eventually('all to notice', () => buses.every((made) => !made.connected));
      const before = Date.now();
      expect(await faultOf(router.request(DECIDE, {}, LONG))).toBe('closed');
      expect(await faultOf(router.append(RECORD, {}, { msg_id: 'm', ...LONG }))).toBe('closed');
      router.publish(subjectOf('target_changed'), {});
      expect(Date.now() - before).toBeLessThan(1_000);
      expect(logged).toContainEqual([
        { subject: 'mcp.v1.event.target.changed' },
        'disconnected: event dropped',
      ]);

      await server.restart();
      await eventually('all to be back', () => buses.every((made) => made.connected));
      await settled(policy);
      expect(await router.request(DECIDE, 'again', LONG)).toBe('again');
      await router.append(RECORD, {}, { msg_id: 'after', timeout_ms: 5_000 });
      await eventually('the second record', () => committed.includes('after'));
    });

    test('the first connection may wait for its server', async () => {
      await server.kill();
      const waiting = bus({ first_connect_ms: 20_000 });
      await eventually('one attempt', () =>
        logged.some(([, message]) => message === 'no connection to the bus'),
      );
      await server.restart();
      expect((await waiting).connected).toBe(true);
    });

    test('a stored message that is not JSON is handed over without a body', async () => {
      const audit = await bus();
      const seen: StreamMessage[] = [];
      await audit.consume(OPTIONS, async (batch) => void seen.push(...batch));
      for (const bytes of [Buffer.from('{"cut": '), Buffer.from([0x22, 0xff, 0x22])])
        await raw.request(RECORD, bytes);
      await eventually('both', () => seen.length === 2);
      expect(seen).toEqual([
        { subject: RECORD, body: undefined, msg_id: 'MCP_AUDIT:1', redelivered: false },
        { subject: RECORD, body: undefined, msg_id: 'MCP_AUDIT:2', redelivered: false },
      ]);
      expect(logged.filter(([, message]) => message === 'a stored message is not JSON')).toHaveLength(2);
    });

    test('a full stream refuses, keeps what it has, and takes more once it is read', async () => {
      const [router, audit] = [await bus(), await bus({ streams: { max_bytes: 64 * 1024 } })];
      const work = gate();
      const committed: string[] = [];
      await audit.consume(OPTIONS, async (batch) => {
        await work.opened;
        committed.push(...batch.map(({ msg_id }) => msg_id));
      });
      const append = (msg_id: string) =>
        router.append(RECORD, 'x'.repeat(10_000), { msg_id, timeout_ms: 5_000 });
      const stored: string[] = [];
      const fault = await faultOf(async () => {
        for (let n = 0; n < 20; n += 1) await append(`m${n}`).then(() => stored.push(`m${n}`));
      });
      expect([fault, stored.length]).toEqual(['not_stored', 6]);
      work.open();
      await eventually('all that was stored', () => committed.length === stored.length);
      expect(committed).toEqual(stored);
      await eventually('room', () =>
        append('later').then(
          () => true,
          () => false,
        ),
      );
      await eventually('the later one', () => committed.includes('later'));
    });

    test('a stream that was deleted under its consumer is made again, with changed settings too', async () => {
      const [router, audit] = [await bus(), await bus()];
      const committed: string[] = [];
      await audit.consume(
        OPTIONS,
        async (batch) => void committed.push(...batch.map(({ msg_id }) => msg_id)),
      );
      await raw.request(`$JS.API.STREAM.DELETE.${AUDIT_STREAM}`);
      expect(await faultOf(router.append(RECORD, {}, { msg_id: 'm1', timeout_ms: 1_000 }))).toBe(
        'no_responders',
      );
      await eventually('the stream', () =>
        router.append(RECORD, {}, { msg_id: 'm2', timeout_ms: 1_000 }).then(
          () => true,
          () => false,
        ),
      );
      await eventually('the record', () => committed.includes('m2'));

      const other = await bus({ streams: { max_bytes: 5_000_000 } });
      await other.consume({ ...OPTIONS, subjects: [...OPTIONS.subjects, 'mcp.v1.more.*'] }, async () => {});
      const info = (await raw.request(`$JS.API.STREAM.INFO.${AUDIT_STREAM}`)).json<{ config: object }>();
      expect(info.config).toMatchObject({
        subjects: ['mcp.v1.audit.*', 'mcp.v1.more.*'],
        retention: 'workqueue',
        storage: 'file',
        discard: 'new',
        max_bytes: 5_000_000,
        duplicate_window: 120e9,
      });
    });

    test('what is not ours on either side is an error, not a crash', async () => {
      const [router, policy] = [await bus(), await bus()];
      policy.serve(DECIDE, BOUNDS, async (body) => body);
      raw.subscribe('mcp.v1.root.session.resolve', {
        callback: (_error, msg) => void msg.respond('not json'),
      });
      raw.subscribe('mcp.v1.root.session.epoch', { callback: (_error, msg) => void msg.respond('{"ok":1}') });
      await settled(policy);
      await raw.flush();
      for (const bytes of [Buffer.from('{'), Buffer.from([0x22, 0xff, 0x22])]) {
        const reply = (await raw.request(DECIDE, bytes)).json();
        expect(reply).toMatchObject({
          ok: false,
          error: { code: 'invalid_argument', details: { reason: 'body_not_json' } },
        });
      }
      for (const id of ['session_resolve', 'session_epoch'] as const)
        await expect(router.request(subjectOf(id), {}, LONG)).rejects.toMatchObject({
          name: 'OpError',
          code: 'internal',
        });
    });
  });

  test('refused credentials and a foreign inbox are forbidden', async () => {
    const server = await startGuardedServer();
    const user = { url: server.url, user: 'router', name: 'test' };
    expect(await faultOf(connectNats({ ...user, password: 'wrong' }))).toBe('forbidden');
    expect(await faultOf(connectNats({ url: server.url, name: 'test' }))).toBe('forbidden');
    const bus = await connectNats({
      ...user,
      password: passwordOf('router'),
      inbox_prefix: inboxPrefixOf('session'),
    });
    for (let n = 0; n < 2; n += 1) expect(await faultOf(bus.request(DECIDE, {}, LONG))).toBe('forbidden');
    await bus.close();
    await server.stop();
  });
});
