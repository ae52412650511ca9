import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { digestOf, subjectOf, toolOf, validator } from '@adaos/contracts';
import { signPermit } from '@adaos/permit';
import { HUB_ID, idle, startHub, ZONE, type Hub } from './hub.fixture.js';
import { until } from './until.fixture.js';

jest.setTimeout(30_000);
let hub: Hub;
let slow: Server;
const waiting = { count: 0 };

beforeAll(async () => {
  // Never answers: a check against it runs until somebody ends it.
  slow = createServer(() => (waiting.count += 1)).listen(0, '127.0.0.1');
  await new Promise((resolve) => slow.once('listening', resolve));
  const { port } = slow.address() as AddressInfo;
  hub = await startHub({
    config: (dir) => {
      mkdirSync(join(dir, 'log'));
      writeFileSync(join(dir, 'log/app.log'), 'start\ntoken=abc123\nlast\n');
      writeFileSync(join(dir, 'log/big.log'), `${'"\\'.repeat(400)}\n`.repeat(2_000));
      return {
        services: [idle('web'), idle('token-service')],
        health_checks: [
          { name: 'web', kind: 'service', service: 'web' },
          { name: 'slow', kind: 'http', url: `http://127.0.0.1:${port}/`, timeout_ms: 10_000 },
          {
            name: 'hook',
            kind: 'http',
            url: `http://127.0.0.1:1/hook/ghp_FAKEfakeFAKEfake0123`,
            timeout_ms: 1_000,
          },
        ],
        log_roots: ['log'],
        log_sources: [
          { name: 'app', kind: 'file', path: 'log/app.log' },
          { name: 'big', kind: 'file', path: 'log/big.log' },
        ],
        limits: { max_concurrency: 4, max_output_bytes: 65_536 },
      };
    },
  });
  await until(() =>
    hub.reports.some((report) => report.skill.state === 'enabled' && report.health === 'healthy'),
  );
});
afterAll(async () => {
  await hub.end();
  slow.closeAllConnections();
  slow.close();
});

describe('reads', () => {
  test.each([
    ['hub.get_status', {}, 'status'],
    ['hub.get_runtime_summary', {}, 'runtime_summary'],
    ['hub.get_logs', { source: 'app', tail: 2 }, 'logs'],
    ['hub.get_logs', {}, 'logs'],
    ['hub.run_healthchecks', { checks: ['web'] }, 'healthchecks'],
  ])('%s %j answers what its contract says', async (tool_id, args, adapter) => {
    const reply = await hub.call(tool_id, args);
    expect(reply).toMatchObject({
      status: 'succeeded',
      adapter,
      provenance: { source: 'subnet_active', adapter },
    });
    expect(() => validator(toolOf(tool_id).contract.output_schema)(reply.result)).not.toThrow();
    expect(reply.adapter_ms).toBeGreaterThan(0);
  });

  test('status and summary tell what is true', async () => {
    const status = (await hub.call('hub.get_status')).result!;
    expect(status).toMatchObject({
      hub_id: HUB_ID,
      health: 'healthy',
      agent: { pid: process.pid },
      skill: { name: 'infra_access_skill', state: 'enabled' },
      services: [
        { name: 'web', state: 'running', restarts: 0 },
        { name: 'token-service', state: 'running', restarts: 0 },
      ],
    });
    const summary = (await hub.call('hub.get_runtime_summary')).result as {
      host: {
        memory: { total_bytes: number; available_bytes: number };
        disk: { total_bytes: number; free_bytes: number };
      };
      queue: object;
    };
    expect(summary.queue).toEqual({ running: 1, waiting: 0 });
    expect(summary.host.memory.available_bytes).toBeLessThanOrEqual(summary.host.memory.total_bytes);
    expect(summary.host.disk.free_bytes).toBeLessThanOrEqual(summary.host.disk.total_bytes);
  });

  test('secrets are masked and counted', async () => {
    const reply = await hub.call('hub.get_logs', { source: 'app' });
    expect(reply.result).toMatchObject({ lines: ['start', 'token=[redacted:key_value]', 'last'] });
    expect(reply.redactions).toEqual([{ rule: 'key_value', count: 1 }]);
  });

  test('also what no adapter thought of', async () => {
    const reply = await hub.call('hub.run_healthchecks', { checks: ['hook'] });
    expect(reply.result).toMatchObject({
      checks: [{ ok: false, evidence: { url: 'http://127.0.0.1:1/hook/[redacted:github_token]' } }],
    });
    expect(reply.redactions).toEqual([{ rule: 'github_token', count: 1 }]);
  });

  test('a log too large for one answer is shortened to fit and says so (field case F26)', async () => {
    const reply = await hub.call('hub.get_logs', { source: 'big', tail: 1_000 });
    expect(reply).toMatchObject({ status: 'succeeded', truncated: true, provenance: { complete: false } });
    const bytes = Buffer.byteLength(JSON.stringify(reply.result));
    expect(bytes).toBeLessThanOrEqual(65_536);
    expect(bytes).toBeGreaterThan(60_000);
  });

  test('arguments that break the contract, a log source that is none', async () => {
    expect(await hub.call('hub.get_logs', { tail: '5' })).toMatchObject({
      status: 'denied',
      error: { code: 'invalid_argument' },
    });
    expect(await hub.call('hub.get_logs', { source: 'nope' })).toMatchObject({
      status: 'denied',
      error: { code: 'invalid_argument', message: 'No such log source, or it cannot be read.' },
    });
    expect(await hub.call('hub.run_healthchecks', { checks: ['nope'] })).toMatchObject({
      error: { code: 'invalid_argument' },
    });
  });
});

describe('what is not allowed is denied, with the reason as a value', () => {
  const denied = (code: string, reason?: string) => ({
    status: 'denied',
    error: { code, ...(reason !== undefined && { details: { reason } }) },
  });
  const status = (more: object = {}) => hub.requestOf('hub.get_status', {}, more);

  test('no permit, a foreign signature, an expired one', async () => {
    expect(await hub.send({ ...(await status()), permit: undefined })).toMatchObject(
      denied('forbidden', 'missing'),
    );
    const claims = {
      permit_id: 'p',
      zone: ZONE,
      hub_id: HUB_ID,
      lease_id: 'lse_1',
      tool_id: 'hub.get_status',
      kind: 'read' as const,
    };
    const foreign = await signPermit(generateKeyPairSync('ed25519').privateKey, claims, Date.now(), 30);
    expect(await hub.send({ ...(await status()), permit: foreign })).toMatchObject(
      denied('forbidden', 'signature'),
    );
    const old = await hub.sign(claims, -60);
    expect(await hub.send({ ...(await status()), permit: old })).toMatchObject(
      denied('forbidden', 'expired'),
    );
    const elsewhere = await hub.sign({ ...claims, hub_id: 'hub-2' });
    expect(await hub.send({ ...(await status()), permit: elsewhere })).toMatchObject(
      denied('forbidden', 'signature'),
    );
  });

  test('a permit of another lease, tool, kind, request or set of arguments', async () => {
    const read = await status();
    expect(await hub.send({ ...read, lease_id: 'lse_2' })).toMatchObject(denied('forbidden', 'lease'));
    expect(await hub.send({ ...read, tool_id: 'hub.get_logs' })).toMatchObject(denied('forbidden', 'tool'));
    const write = await hub.requestOf('hub.restart_service', { service: 'web' });
    expect(await hub.send({ ...write, permit: read.permit, tool_id: 'hub.restart_service' })).toMatchObject(
      denied('forbidden', 'tool'),
    );
    expect(await hub.send({ ...write, request_id: 'other' })).toMatchObject(denied('forbidden', 'request'));
    expect(await hub.send({ ...write, dry_run: true })).toMatchObject(denied('forbidden', 'dry_run'));
    const other = { service: 'token-service' };
    expect(await hub.send({ ...write, arguments: other })).toMatchObject(denied('forbidden', 'arguments'));
    expect(await hub.send({ ...write, arguments: other, arguments_digest: digestOf(other) })).toMatchObject(
      denied('forbidden', 'arguments'),
    );
  });

  test('another target, a tool that has no adapter here, a service that is not configured', async () => {
    expect(await hub.send({ ...(await status()), target_id: 'hub:other' })).toMatchObject(
      denied('target_forbidden'),
    );
    expect(await hub.send({ ...(await status()), target_id: null })).toMatchObject(
      denied('target_forbidden'),
    );
    for (const tool_id of ['hub.get_activity_log', 'hub_get_status', 'nope', '__proto__'])
      expect(await hub.send({ ...(await status()), tool_id })).toMatchObject(
        denied('capability_not_published'),
      );
    expect(await hub.call('hub.restart_service', { service: '../web' })).toMatchObject(
      denied('forbidden', 'service'),
    );
  });

  test.each([
    ['disabled', 'skill_disabled'],
    ['installed', 'skill_disabled'],
    ['missing', 'skill_not_installed'],
  ])('a skill that is %s', async (state, code) => {
    const told = (now: string) => {
      hub.root.skill = now;
      return hub.control({ verb: 'skill', state: now });
    };
    expect(await told(state)).toEqual({ state, changed: true });
    expect(await hub.call('hub.get_status')).toMatchObject(denied(code));
    await told('enabled');
    expect(await hub.call('hub.get_status')).toMatchObject({ status: 'succeeded' });
  });
});

describe('time, cancel and revocation reach what runs', () => {
  /** Sends a check that hangs and waits until it does. */
  const hang = async (request: object, timeout_ms?: number) => {
    const before = waiting.count;
    const reply = hub.send(request, timeout_ms);
    await until(() => waiting.count > before);
    return { reply };
  };
  const idle_sockets = () =>
    until(() => new Promise<boolean>((resolve) => slow.getConnections((_e, n) => resolve(n === 0))));
  const check = (more: object = {}) => hub.requestOf('hub.run_healthchecks', { checks: ['slow'] }, more);

  test('a cancel ends a read at once and closes its socket', async () => {
    const request = await check();
    const began = performance.now();
    const { reply } = await hang(request);
    expect(await hub.cancel(request.event_id)).toEqual({ aborted: 1 });
    expect(await reply).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
    expect(performance.now() - began).toBeLessThan(5_000);
    await idle_sockets();
    expect(await hub.cancel(request.event_id)).toEqual({ aborted: 0 });
  });

  test('a revoked lease loses its reads and gets no more, although its permit still stands', async () => {
    const request = await check({ lease_id: 'lse_revoked' });
    const { reply } = await hang(request);
    const { reply: other } = await hang(await check({ event_id: 'evt_other' }));
    expect(await hub.control({ verb: 'lease_revoked', lease_id: 'lse_revoked' })).toEqual({ aborted: 1 });
    expect(await reply).toMatchObject({ status: 'denied', error: { code: 'lease_revoked' } });
    expect(await hub.send(request)).toMatchObject({ status: 'denied', error: { code: 'lease_revoked' } });
    await hub.cancel('evt_other');
    expect(await other).toMatchObject({ status: 'cancelled' });
  });

  test('checks end before the caller stops waiting, and what they found is told', async () => {
    const { reply } = await hang(await check(), 1_000);
    expect(await reply).toMatchObject({
      status: 'succeeded',
      provenance: { complete: false },
      result: { overall: 'unhealthy', checks: [{ name: 'slow', status: 'timeout' }] },
    });
    await idle_sockets();
  });

  test('control messages are answered while all slots are taken', async () => {
    const before = waiting.count;
    const requests = await Promise.all(Array.from({ length: 4 }, () => check()));
    const replies = requests.map((request) => hub.send(request));
    await until(() => waiting.count === before + 4);
    const status = hub.call('hub.get_status');
    for (const { event_id } of requests) expect(await hub.cancel(event_id)).toEqual({ aborted: 1 });
    for (const reply of await Promise.all(replies)) expect(reply.status).toBe('cancelled');
    expect(await status).toMatchObject({ status: 'succeeded' });
  });
});

describe('bad input', () => {
  test.each([[null], ['x'], [[]], [{}], [{ tool_id: 'hub.get_status' }], [42]])(
    '%j is refused and the agent stays up',
    async (body) => {
      await expect(hub.send(body)).rejects.toMatchObject({ code: 'invalid_argument' });
      await expect(hub.control(body as object)).rejects.toMatchObject({ code: 'invalid_argument' });
      await expect(
        hub.router.request(subjectOf('hub_cancel', HUB_ID), body, { timeout_ms: 5_000 }),
      ).rejects.toMatchObject({ code: 'invalid_argument' });
      expect(await hub.call('hub.get_status')).toMatchObject({ status: 'succeeded' });
    },
  );

  test.each([
    { verb: 'nope' },
    { verb: 'skill', state: 'on' },
    { verb: 'skill' },
    { verb: 'outcome', event_id: 'e' },
    { verb: '__proto__' },
  ])('control %j', async (body) => {
    await expect(hub.control(body)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
