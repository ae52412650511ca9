// npm run start:split: every service and the agent as a process of its own, on PostgreSQL, NATS and Redis.
import { sha256 } from '@adaos/contracts';
import { loadConfig, randomIds, runMain, stopAll, type Stop } from '@adaos/runtime';
import ansis from 'ansis';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { banner } from '../../apps/zone/src/banner.js';
import { removeConnection, writeConnection } from '../../apps/zone/src/connection.js';
import { layOutDemoHub } from '../../apps/zone/src/demo-hub.js';
import { loadOrCreateKeys } from '../../apps/zone/src/keys.js';
import { issueFirstLease, registerDemoHub } from '../../apps/zone/src/provision.js';
import { Config } from './config.js';
import { createFleet } from './fleet.js';
import { members } from './members.js';

const HUB = { hub_id: 'demo', subnet_id: 'demo-subnet' } as const;
const READY_MS = 30_000;

void runMain('split', async (): Promise<Stop> => {
  const config = loadConfig(Config, process.env);
  if (!config.DATABASE_URL)
    throw new Error(
      'DATABASE_URL is missing: npm run start:split sets it when tools/services made the database.',
    );
  const data_dir = resolve(config.ZONE_DATA_DIR);
  mkdirSync(data_dir, { recursive: true, mode: 0o700 });
  loadOrCreateKeys(data_dir);
  const operator_token = randomIds.bearer('adm');
  const facade_ports = config.ZONE_PORT
    ? Array.from({ length: config.FACADES }, (_, i) => config.ZONE_PORT + i)
    : await freePorts(config.FACADES);
  const root_urls = facade_ports.map((port) => `http://127.0.0.1:${port}`);
  const root_url = root_urls[0]!;
  const agent_config = await layOutDemoHub(join(data_dir, 'demo-hub'), HUB.hub_id, config.HEARTBEAT_MS);
  const fleet = createFleet(data_dir);
  const stops: Stop[] = [() => fleet.stop()];
  const stop = stopAll(stops);
  try {
    const all = members({
      config,
      database_url: config.DATABASE_URL,
      data_dir,
      facade_ports,
      operator_digest: sha256(operator_token),
      hub_id: HUB.hub_id,
      agent_config,
    });
    for (const member of all.services) fleet.start(member);
    process.stderr.write(`  ${ansis.green('✓')} ${all.services.length} service processes started\n`);
    await Promise.all(root_urls.map(untilReady));
    process.stderr.write(`  ${ansis.green('✓')} facades: ${root_urls.join(', ')}\n`);
    const zone = config.ZONE;
    const desk = {
      root_url,
      operator_token,
      zone,
      ...HUB,
      capability_profile: config.ZONE_PROFILE,
      wait_ms: READY_MS,
    };
    const target_id = await registerDemoHub(desk);
    fleet.start(all.agent);
    const bearer = await issueFirstLease(desk, target_id);
    process.stderr.write(`  ${ansis.green('✓')} demo hub ${target_id} is online\n`);
    const connection = {
      root_url,
      root_urls,
      mcp_url: `${root_url}/v1/root/mcp`,
      console_url: `${root_url}/console/`,
      zone,
      target_id,
      subnet_id: HUB.subnet_id,
      bearer,
      operator_token,
      pid: process.pid,
    };
    writeConnection(data_dir, connection);
    // Only now: a start that fails earlier must not take away the file of a zone that runs on this directory.
    stops.push(async () => removeConnection(data_dir));
    process.stdout.write(banner(connection, config.ZONE_PROFILE));
    return stop;
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
});

/** The facade says it is ready once a router answers it. */
async function untilReady(root_url: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const ready = await fetch(`${root_url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      (r) => r.ok,
      () => false,
    );
    if (ready) return;
    if (Date.now() > deadline)
      throw new Error('the services did not become ready; their lines above say why');
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Ports that were free a moment ago, all different: they are held together before any is given back. */
async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, heldPort));
  await Promise.all(held.map(({ release }) => release()));
  return held.map(({ port }) => port);
}

function heldPort(): Promise<{ port: number; release: () => Promise<void> }> {
  return new Promise((done, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      done({ port, release: () => new Promise((closed) => server.close(() => closed())) });
    });
  });
}
