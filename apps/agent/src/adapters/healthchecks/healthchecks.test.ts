import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { toolOf, validator } from '@adaos/contracts';
import { silentLog, systemClock } from '@adaos/runtime';
import { parseAgentConfig } from '../../read-agent-config.js';
import { isReady } from '../../probes/ready-probe.js';
import { Supervisor } from '../../supervisor/supervisor.js';
import type { AdapterContext } from '../adapter.js';
import { healthchecks } from './healthchecks.js';

jest.setTimeout(30_000);
interface Output {
  overall: string;
  checks: {
    name: string;
    ok: boolean;
    status: string;
    reason: string | null;
    evidence: object;
    latency_ms: number;
  }[];
}
const checkOutput = validator<Output>(toolOf('hub.run_healthchecks').contract.output_schema);
let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/slow') return;
    response.writeHead(request.url === '/ok' ? 200 : 503).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function run(health_checks: object[], args: object = {}, timeout_ms = 10_000) {
  const services = [{ name: 'web', argv: ['/no/such/program'] }];
  const config = parseAgentConfig(JSON.stringify({ hub_id: 'h', services, health_checks }), {
    file: 'agent.yaml',
  });
  const supervisor = new Supervisor({
    config,
    data_dir: '/nowhere',
    clock: systemClock,
    log: silentLog,
    isReady,
  });
  const signal = new AbortController().signal;
  const context = { config, supervisor, clock: systemClock, signal, timeout_ms } as unknown as AdapterContext;
  const { output, complete } = await healthchecks.run(args as Record<string, unknown>, context);
  return { ...checkOutput(output), complete };
}
const http = (name: string, path = `/${name}`, more: object = {}) => ({
  name,
  kind: 'http',
  url: base + path,
  ...more,
});

test.each([
  [['ok'], 'healthy'],
  [['ok', 'bad'], 'degraded'],
  [['bad', 'worse'], 'unhealthy'],
  [[], 'unknown'],
])('%j together are %s', async (names, overall) => {
  expect(await run(names.map((name) => http(name)))).toMatchObject({ overall, complete: true });
});

test('each check tells what it saw, in the order of the file', async () => {
  const { port } = server.address() as AddressInfo;
  const { checks } = await run([
    http('ok'),
    { name: 'port', kind: 'tcp', host: 'localhost', port },
    { name: 'process', kind: 'service', service: 'web' },
    http('bad', '/bad', { expect_status: 503 }),
    http('ca', '/ok', { ca_file: '/no/such/ca.pem' }),
  ]);
  expect(checks.map(({ name, ok, status, reason }) => [name, ok, status, reason])).toEqual([
    ['ok', true, 'ok', null],
    ['port', true, 'ok', null],
    ['process', false, 'failed', 'service is stopped'],
    ['bad', true, 'ok', null],
    ['ca', false, 'failed', 'ca_file cannot be read'],
  ]);
  expect(checks[0]!.evidence).toMatchObject({ http_status: 200, address: '127.0.0.1' });
});

test('by name, in the order asked, each once; an unknown name is refused', async () => {
  const all = [http('ok'), http('bad')];
  expect((await run(all, { checks: ['bad', 'ok', 'bad'] })).checks.map((check) => check.name)).toEqual([
    'bad',
    'ok',
  ]);
  await expect(run(all, { checks: ['nope'] })).rejects.toMatchObject({
    code: 'invalid_argument',
    details: { check: 'nope' },
  });
});

test('checks run at once, and a slow one takes nothing from the others', async () => {
  const slow = Array.from({ length: 10 }, (_, i) => http(`slow${i}`, '/slow', { timeout_ms: 400 }));
  const began = performance.now();
  const { overall, checks } = await run([...slow, http('ok')]);
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(overall).toBe('degraded');
  expect(checks.filter((check) => check.status === 'timeout')).toHaveLength(10);
  expect(checks.at(-1)).toMatchObject({ name: 'ok', ok: true });
});

test('all together end before the call does', async () => {
  const { complete, checks } = await run(
    [http('slow', '/slow', { timeout_ms: 15_000 }), http('ok')],
    {},
    500,
  );
  expect(complete).toBe(false);
  expect(checks.map((check) => check.status)).toEqual(['timeout', 'ok']);
});
