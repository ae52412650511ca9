import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { HubReport, validator } from '@adaos/contracts';
import { ADAPTERS } from './adapters/table.js';
import { idle, startHub, type Hub, type HubOptions } from './hub.fixture.js';
import { statOf } from './supervisor/process-identity.js';
import { until } from './until.fixture.js';

jest.setTimeout(30_000);
const hubs: Hub[] = [];
const dirs: string[] = [];
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.end();
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});
async function start(options: HubOptions = {}) {
  const hub = await startHub(options);
  hubs.push(hub);
  return hub;
}
const checkReport = validator<HubReport>(HubReport);
const services = {
  config: () => ({ services: [idle('web', { restart: { max_restarts: 2, backoff_ms: 400 } })] }),
};

describe('reports', () => {
  test('the first one offers nothing; once root says enabled, the next one offers every adapter', async () => {
    const hub = await start(services);
    await until(() => hub.reports.length >= 2 && hub.reports.at(-1)!.capabilities.length > 0);
    const [first, last] = [checkReport(hub.reports[0]), checkReport(hub.reports.at(-1))];
    expect(first).toMatchObject({
      cursor: 0,
      skill: { name: 'infra_access_skill', state: 'missing' },
      capabilities: [],
      execution_adapters: [],
      rtt_ms: null,
    });
    expect(last).toMatchObject({
      skill: { state: 'enabled' },
      health: 'healthy',
      services: [{ name: 'web', state: 'running' }],
    });
    expect(last.capabilities).toEqual(ADAPTERS.map((adapter) => adapter.tool_id));
    expect(last.rtt_ms).not.toBeNull();
    expect(new Set(hub.reports.map((report) => report.epoch)).size).toBe(1);
    expect(hub.reports.map((report) => report.cursor)).toEqual(hub.reports.map((_, i) => i));
  });

  test('a change of a service is told soon, long before the heartbeat', async () => {
    const hub = await start(services);
    await until(() => hub.reports.at(-1)?.services[0]?.state === 'running');
    const status = (await hub.call('hub.get_status')).result as { services: { pid: number }[] };
    process.kill(status.services[0]!.pid, 'SIGKILL');
    await until(() =>
      hub.reports.some((report) => report.services[0]!.state === 'starting' && report.health === 'unhealthy'),
    );
    await until(() => hub.reports.at(-1)!.services[0]!.state === 'running');
  });

  test('a disabled skill offers nothing, and stays disabled over a restart while root is silent', async () => {
    const hub = await start({ ...services, skill: 'disabled' });
    await until(() => hub.reports.some((report) => report.skill.state === 'disabled'));
    expect(hub.reports.at(-1)).toMatchObject({ capabilities: [] });
    await hub.stop();
    const next = await start({ dir: hub.dir, ...services, skill: 'nonsense' });
    await until(() => next.reports.length > 0);
    expect(next.reports[0]).toMatchObject({ skill: { state: 'disabled' }, capabilities: [] });
    expect(next.reports[0]!.epoch).not.toBe(hub.reports[0]!.epoch);
    expect(await next.call('hub.get_status')).toMatchObject({
      status: 'denied',
      error: { code: 'skill_disabled' },
    });
  });
});

describe('start and stop', () => {
  test('a stop ends every service and frees the directory', async () => {
    const hub = await start({ config: () => ({ services: [idle('web'), idle('db')] }) });
    await until(() => hub.reports.some((report) => report.skill.state === 'enabled'));
    const { services: running } = (await hub.call('hub.get_status')).result as {
      services: { pid: number }[];
    };
    await hub.stop();
    for (const { pid } of running) await until(() => [null, 'Z'].includes(statOf(pid)?.state ?? null));
    await start({ dir: hub.dir });
  });

  test('a second agent on one directory is refused and leaves the first alone', async () => {
    const hub = await start(services);
    await until(() => hub.reports.some((report) => report.skill.state === 'enabled'));
    await expect(startHub({ dir: hub.dir })).rejects.toThrow('uses the data directory');
    expect(await hub.call('hub.get_status')).toMatchObject({
      status: 'succeeded',
      result: { health: 'healthy' },
    });
  });

  test('a journal that can not be read is a start that fails and leaves nothing behind', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hub-'));
    dirs.push(dir);
    writeFileSync(join(dir, 'data'), 'a file where the directory should be');
    await expect(startHub({ dir })).rejects.toThrow();
    rmSync(join(dir, 'data'));
    await start({ dir });
  });

  test('writes a killed agent had begun are told to root at the next start', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hub-'));
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(dir, 'data'));
    const begin = {
      phase: 'begin',
      key: 'lse_1/r1',
      event_id: 'evt_1',
      tool_id: 'hub.restart_service',
      adapter: 'restart_service',
      arguments_digest: 'd',
      at: new Date().toISOString(),
    };
    writeFileSync(join(dir, 'data/journal.ndjson'), `${JSON.stringify(begin)}\n`);
    const hub = await start({ dir });
    await until(() => hub.events.length === 1);
    expect(hub.events).toMatchObject([
      {
        event_id: 'evt_1',
        lease_id: 'lse_1',
        request_id: 'r1',
        reply: { status: 'failed', error: { code: 'adapter_failed', details: { outcome: 'indeterminate' } } },
      },
    ]);
  });
});
