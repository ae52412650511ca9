import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { OpError, subjectOf, toolOf, validator } from '@adaos/contracts';
import { idle, startHub, type Hub, type HubOptions } from './hub.fixture.js';
import { until } from './until.fixture.js';

jest.setTimeout(30_000);
const hubs: Hub[] = [];
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.end();
});
async function start(options: HubOptions = {}) {
  const hub = await startHub(options);
  hubs.push(hub);
  await until(() => hub.reports.some((report) => report.skill.state === 'enabled'));
  return hub;
}
/** A service that notes each of its starts in a file, then does as the rest of the script says. */
const noted = (name: string, rest = 'setInterval(() => {}, 1000)', more: object = {}) =>
  idle(name, {
    argv: [
      process.execPath,
      '-e',
      `require('fs').appendFileSync('${name}.starts', process.pid + '\\n'); ${rest}`,
    ],
    ...more,
  });
const startsOf = (hub: Hub, name: string) => {
  const file = join(hub.dir, `${name}.starts`);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};
const journalOf = (hub: Hub) =>
  readFileSync(join(hub.dir, 'data/journal.ndjson'), 'utf8').split('\n').filter(Boolean);
const checkOutput = validator<{
  before: { pid: number };
  after: { pid: number; state: string } | null;
  healthy: boolean | null;
  would: string[];
}>(toolOf('hub.restart_service').contract.output_schema);
const restart = (hub: Hub, more: object = {}, service = 'web') =>
  hub.requestOf('hub.restart_service', { service }, more);

describe('hub.restart_service', () => {
  test('stops, starts and watches; the answer shows before and after', async () => {
    const hub = await start({ config: () => ({ services: [noted('web'), noted('other')] }) });
    await until(() => startsOf(hub, 'web').length === 1 && startsOf(hub, 'other').length === 1);
    const reply = await hub.send(await restart(hub));
    expect(reply).toMatchObject({ status: 'succeeded', adapter: 'restart_service' });
    const { before, after, healthy } = checkOutput(reply.result);
    expect({ healthy, state: after?.state }).toEqual({ healthy: true, state: 'running' });
    expect(after?.pid).not.toBe(before.pid);
    await until(() => startsOf(hub, 'web').length === 2);
    expect(startsOf(hub, 'web')).toEqual([before.pid, after?.pid].map(String));
    expect(startsOf(hub, 'other')).toHaveLength(1);
  });

  test('reports its steps to who asked for them, and to nobody else', async () => {
    const hub = await start({ config: () => ({ services: [idle('web')] }) });
    const steps: Record<string, unknown>[] = [];
    hub.router.subscribe(subjectOf('hub_progress', '*'), (body) => steps.push(body as (typeof steps)[0]));
    await hub.send(await restart(hub));
    expect(steps).toEqual([]);
    const request = await restart(hub, { progress: true });
    await hub.send(request);
    await until(() => steps.length === 4);
    expect(steps).toEqual(
      ['stopping web', 'starting web', 'watching web for 50 ms', 'it stayed up'].map((message, progress) => ({
        event_id: request.event_id,
        progress,
        total: 3,
        message,
      })),
    );
  });

  test('a dry run says what it would do, changes nothing and leaves no trace in the journal', async () => {
    const hub = await start({ config: () => ({ services: [idle('web')] }) });
    const reply = await hub.send(await restart(hub, { dry_run: true }));
    const { before, after, healthy, would } = checkOutput(reply.result);
    expect({ after, healthy }).toEqual({ after: null, healthy: null });
    expect(would).toEqual([
      `send SIGTERM to process group ${before.pid}`,
      'send SIGKILL if it still runs after 1000 ms',
      'start it with its configured program, directory and environment',
      'watch for 50 ms that it keeps its pid',
    ]);
    const status = (await hub.call('hub.get_status')).result as { services: { pid: number }[] };
    expect(status.services[0]!.pid).toBe(before.pid);
    expect(journalOf(hub)).toEqual([]);
  });

  test('a service that ends soon after its start is not healthy (field case F22)', async () => {
    const script = `if (require('fs').readFileSync('web.starts', 'utf8').split('\\n').length > 2) setTimeout(() => process.exit(1), 50); else setInterval(() => {}, 1000);`;
    const hub = await start({ config: () => ({ services: [noted('web', script, { observe_ms: 10_000 })] }) });
    await until(() => startsOf(hub, 'web').length === 1);
    const reply = await hub.send(await restart(hub));
    expect(reply).toMatchObject({ status: 'succeeded', result: { healthy: false } });
  });

  test('a ready check that does not pass is not healthy', async () => {
    const service = idle('web', { ready: { tcp: { host: '127.0.0.1', port: 1 } }, observe_ms: 150 });
    const hub = await start({ config: () => ({ services: [service] }) });
    const reply = await hub.send(await restart(hub));
    expect(reply).toMatchObject({
      status: 'succeeded',
      result: { healthy: false, after: { state: 'starting' } },
    });
  });

  test('a program that is not there fails by name, and the hub stays up (field case F33)', async () => {
    const hub = await start({ config: () => ({ services: [idle('web', { argv: ['/no/such/program'] })] }) });
    expect(await hub.send(await restart(hub))).toMatchObject({
      status: 'failed',
      error: { code: 'adapter_failed', details: { reason: 'not_found', service: 'web' } },
    });
    expect(await hub.call('hub.get_status')).toMatchObject({ status: 'succeeded' });
  });
});

test('a service that is not offered is denied before anything is journaled', async () => {
  const hub = await start({ config: () => ({ services: [idle('web')] }) });
  const request = await restart(hub, {}, 'sshd');
  expect(await hub.send(request)).toMatchObject({
    status: 'denied',
    error: { code: 'forbidden', details: { reason: 'service' } },
  });
  expect(journalOf(hub)).toEqual([]);
});

describe('a write is done once per request (field case F28)', () => {
  test('repeats get the first result, also all at once', async () => {
    const hub = await start({ config: () => ({ services: [noted('web')] }) });
    await until(() => startsOf(hub, 'web').length === 1);
    const request = await restart(hub);
    const replies = await Promise.all(Array.from({ length: 5 }, () => hub.send(request)));
    expect(replies.filter((reply) => !reply.replayed)).toHaveLength(1);
    expect(new Set(replies.map((reply) => JSON.stringify(reply.result))).size).toBe(1);
    expect(await hub.send(request)).toMatchObject({ status: 'succeeded', replayed: true });
    await until(() => startsOf(hub, 'web').length === 2);
    const outcome = {
      verb: 'outcome',
      event_id: request.event_id,
      lease_id: request.lease_id,
      request_id: request.request_id,
    };
    expect(await hub.control(outcome)).toMatchObject({
      known: true,
      reply: { status: 'succeeded', result: { healthy: true } },
    });
    expect(await hub.control({ ...outcome, event_id: 'evt_0', request_id: 'r0' })).toEqual({ known: false });
  });

  test('the same request id for another service is a conflict', async () => {
    const hub = await start({ config: () => ({ services: [idle('web'), idle('db')] }) });
    await hub.send(await restart(hub, { request_id: 'r1' }));
    expect(await hub.send(await restart(hub, { request_id: 'r1' }, 'db'))).toMatchObject({
      status: 'denied',
      error: { code: 'conflict' },
    });
  });

  test('after a restart of the agent the result is still known', async () => {
    const hub = await start({ config: () => ({ services: [idle('web')] }) });
    const request = await restart(hub, { request_id: 'r1' });
    const first = await hub.send(request);
    await hub.stop();
    const next = await start({ dir: hub.dir, config: () => ({ services: [noted('web')] }) });
    await until(() => startsOf(next, 'web').length === 1);
    const again = await next.send(await restart(next, { request_id: 'r1' }));
    expect(again).toEqual({ ...first, replayed: true });
    expect(startsOf(next, 'web')).toHaveLength(1);
  });
});

describe('a write whose caller stops waiting', () => {
  const watching = { config: () => ({ services: [noted('web', undefined, { observe_ms: 1_500 })] }) };

  test('is finished, and root is told the outcome; refusals of root are not repeated for ever', async () => {
    let tries = 0;
    const onEvent = () => {
      tries += 1;
      if (tries === 1) throw new OpError('dependency_unavailable', { reason: 'event_not_stored_yet' });
    };
    const hub = await start({ ...watching, onEvent });
    const request = await restart(hub);
    await expect(hub.send(request, 700)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    const { event_id, request_id, lease_id } = request;
    expect(await hub.control({ verb: 'outcome', event_id, request_id, lease_id })).toEqual({
      known: true,
      running: true,
    });
    await until(() => hub.events.length === 1);
    expect(hub.events).toMatchObject([
      { event_id, request_id, lease_id, reply: { status: 'succeeded', result: { healthy: true } } },
    ]);
    expect(tries).toBe(2);
  });

  test('a cancel while it is begun lets it finish its step', async () => {
    const hub = await start(watching);
    await until(() => startsOf(hub, 'web').length === 1);
    const request = await restart(hub);
    const reply = hub.send(request);
    await until(() => startsOf(hub, 'web').length === 2);
    expect(await hub.cancel(request.event_id)).toEqual({ aborted: 1 });
    expect(await reply).toMatchObject({ status: 'succeeded', result: { healthy: true } });
    expect(hub.events).toEqual([]);
  });

  test('a cancel while it waits for another write ends it with nothing done and nothing recorded', async () => {
    const hub = await start(watching);
    await until(() => startsOf(hub, 'web').length === 1);
    const first = hub.send(await restart(hub));
    await until(() => startsOf(hub, 'web').length === 2);
    const request = await restart(hub);
    const second = hub.send(request);
    await until(async () => (await hub.cancel(request.event_id)).aborted === 1);
    expect(await second).toMatchObject({ status: 'cancelled' });
    expect(await first).toMatchObject({ status: 'succeeded' });
    expect(startsOf(hub, 'web')).toHaveLength(2);
    expect(journalOf(hub)).toHaveLength(2);
  });
});
