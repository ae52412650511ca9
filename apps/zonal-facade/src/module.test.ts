import { mkdtemp, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createInProcessBroker } from '@adaos/bus/in-process';
import { ConfigError, loadConfig, printableConfig, randomIds, silentLog, systemClock } from '@adaos/runtime';
import { pino } from 'pino';
import { Config } from './config.js';
import { BEARERS, ZONE } from './fixtures/router-double.js';
import { bearer, startFacade, type FacadeUnderTest } from './fixtures/facade.js';
import { send } from './fixtures/http.js';
import { FacadeStartError } from './start-error.js';
import { zonalFacade } from './module.js';
import { VERSION } from './version.js';

let facade: FacadeUnderTest | undefined;
afterEach(async () => {
  await facade?.stop();
  facade = undefined;
});

const start = (config: object) =>
  zonalFacade.start({
    zone: ZONE,
    bus: createInProcessBroker().connect('facade'),
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    config: loadConfig(Config, { PORT: '0', REQUEST_STATE_KEY_FILE: '/keys/state', ...config }),
  });

describe('start and stop', () => {
  test('tells where it listens', async () => {
    facade = await startFacade();
    const { root_url } = facade.urls;
    expect(root_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(facade.urls).toEqual({ root_url, mcp_url: `${root_url}/v1/root/mcp`, console_url: null });
  });

  test('a taken port and a foreign address are one sentence each', async () => {
    facade = await startFacade();
    const { port } = new URL(facade.urls.root_url);
    await expect(start({ PORT: port })).rejects.toThrow(
      new FacadeStartError(
        `127.0.0.1:${port} is in use by another process; set PORT (npm start: ZONE_PORT) to a free one.`,
      ),
    );
    await expect(start({ HOST: '203.0.113.7' })).rejects.toThrow(
      /^203\.0\.113\.7 is no address of this machine; set HOST/,
    );
  });

  test('a stop lets answers under way finish, then closes', async () => {
    const running = await startFacade();
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    running.router.answer('hub.get_status', async () => (await held, { result: { late: true } }));
    const answer = running.legacy('tools/call', { name: 'hub_get_status' });
    await running.router.until('router_call');
    const stopped = running.stop();
    await expect(send(running.urls.root_url)).rejects.toThrow(/ECONNREFUSED/);
    release();
    expect((await answer).json.result.structuredContent).toEqual({ late: true });
    await stopped;
  });

  test('a stop does not wait for a kept-alive connection that turns idle meanwhile', async () => {
    const agent = new Agent({ keepAlive: true });
    const running = await startFacade();
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    running.router.answer('operations.list_managed_targets', async () => (await held, { result: {} }));
    const answer = running.http('/v1/root/mcp/targets', { agent });
    await running.router.until('router_call');
    const stopped = running.stop();
    release();
    expect((await answer).status).toBe(200);
    await stopped;
    agent.destroy();
  });

  test('a stop cuts what does not end in time', async () => {
    const running = await startFacade({ bounds: { drain_ms: 30 } });
    running.router.answer('hub.get_status', () => new Promise(() => undefined));
    const answer = expect(running.legacy('tools/call', { name: 'hub_get_status' })).rejects.toThrow();
    await running.router.until('router_call');
    await running.stop();
    await answer;
  });
});

describe('operations', () => {
  test('health and readiness need no bearer, metrics hold none', async () => {
    facade = await startFacade();
    const { root_url } = facade.urls;
    await facade.http('/v1/root/mcp/targets/hub:demo');
    await facade.legacy('tools/list');
    await facade.http('/v1/root/mcp/nope/secret-path', { method: 'BREW' }).catch(() => undefined);
    expect((await send(`${root_url}/healthz`)).json).toEqual({ ok: true });
    const ready = await send(`${root_url}/readyz`);
    expect([ready.status, ready.json]).toEqual([200, { ok: true }]);
    // Not on the port of clients: how busy a zone is is nothing for strangers.
    expect((await send(`${root_url}/metrics`)).status).toBe(404);
    const text = await facade.metrics();
    expect(text).toContain(
      'adaos_facade_requests_total{route="/v1/root/mcp/targets/:target_id",method="GET",status="200"} 1',
    );
    expect(text).toContain('adaos_facade_requests_total{route="/v1/root/mcp",method="POST",status="200"} 1');
    expect(text).not.toMatch(/hub:demo|secret-path|mcp_good/);
    expect((await send(`${root_url}/openapi.json`)).json.openapi).toBe('3.1.0');
  });

  test('a probe of readiness asks nobody’s identity', async () => {
    facade = await startFacade();
    await Promise.all([1, 2, 3].map(() => send(`${facade!.urls.root_url}/readyz`)));
    expect(facade.router.heard).toEqual([]);
  });

  test('without a router it is up and not ready', async () => {
    facade = await startFacade({ router_away: true });
    expect((await send(`${facade.urls.root_url}/healthz`)).status).toBe(200);
    expect((await send(`${facade.urls.root_url}/readyz`)).status).toBe(503);
  });

  test('no log line at any level holds a bearer, a body or a query', async () => {
    let lines = '';
    const sink = new Writable({ write: (chunk: Buffer, _, done) => ((lines += chunk.toString()), done()) });
    facade = await startFacade({ log: pino({ level: 'trace' }, sink), bounds: { call_timeout_ms: 40 } });
    facade.router.answer('hub.get_status', () => new Promise(() => undefined));
    await facade.legacy('tools/call', { name: 'hub_get_status', arguments: { target_id: 'secret_target' } });
    await facade.mcp('{"secret_body');
    await facade.legacy('tools/call', { name: 'hub_get_logs', arguments: { contains: 'secret_argument' } });
    await facade.mcp({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, [
      ['MCP-Protocol-Version', '1999-01-01'],
    ]);
    await facade.http(`/v1/root/mcp/targets?cursor=secret_query`, { headers: [bearer('wrong-bearer')] });
    await facade.http('/v1/root/mcp', { headers: [['Origin', 'http://evil.example']] });
    expect(lines).toContain('refused a foreign host or origin');
    expect(lines).toContain('router was not reached');
    expect(lines).not.toMatch(/secret_|wrong-bearer/);
    expect(lines).not.toContain(BEARERS.good);
  });
});

describe('console', () => {
  test('serves files and its page under a strict policy, nothing outside', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'console-'));
    await writeFile(join(dir, 'index.html'), '<!doctype html><title>console</title>');
    await writeFile(join(dir, 'app.js'), 'export {};');
    facade = await startFacade({ config: { CONSOLE_DIR: dir } });
    const { root_url, console_url } = facade.urls;
    expect(console_url).toBe(`${root_url}/console/`);
    for (const path of ['/console', '/console/', '/console/targets/hub:demo']) {
      const page = await send(root_url + path);
      expect([page.status, page.text]).toEqual([200, '<!doctype html><title>console</title>']);
      expect(page.headers['content-security-policy']).toMatch(
        /^default-src 'self';.*frame-ancestors 'none'$/,
      );
      expect(page.headers['x-content-type-options']).toBe('nosniff');
    }
    expect((await send(`${root_url}/console/app.js`)).headers['content-type']).toMatch(/javascript/);
    for (const path of [
      '/console/gone.js',
      '/console/..%2f..%2fetc%2fhost.conf',
      '/console/%2e%2e/package.json',
    ]) {
      const got = await send(root_url + path);
      expect([path, got.status, got.headers['content-type']]).toEqual([path, 404, 'application/json']);
    }
    // The endpoint's probes stay JSON beside a page that answers any path of its own (F07).
    expect((await send(`${root_url}/.well-known/oauth-protected-resource`)).json.ok).toBe(false);
  });
});

describe('settings', () => {
  test('defaults listen on loopback', () => {
    expect(loadConfig(Config, { REQUEST_STATE_KEY_FILE: '/keys/state' })).toEqual({
      HOST: '127.0.0.1',
      PORT: 8_930,
      ALLOWED_HOSTS: '',
      ALLOWED_ORIGINS: '',
      TRUST_PROXY: '',
      REQUEST_STATE_KEY_FILE: '/keys/state',
    });
  });

  test('all problems at once, and all can be printed', () => {
    expect(() => loadConfig(Config, { PORT: '70000', PUBLIC_URL: 'ftp://x', TRUST_PROXY: 'yes' })).toThrow(
      ConfigError,
    );
    const config = loadConfig(Config, {
      REQUEST_STATE_KEY_FILE: '/keys/state',
      PUBLIC_URL: 'https://mcp.zone.example',
      CONSOLE_DIR: '/srv/console',
    });
    expect(Object.values(printableConfig(Config, config))).not.toContain('[redacted]');
  });

  test('the version is that of the package', () => {
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
    expect((JSON.parse(text) as { version: string }).version).toBe(VERSION);
  });
});
