import { agent, parseAgentConfig } from '@adaos/agent/module';
import { audit } from '@adaos/audit/module';
import { sha256, type BusUser } from '@adaos/contracts';
import { descriptor } from '@adaos/descriptor/module';
import { policy } from '@adaos/policy/module';
import { router } from '@adaos/router/module';
import {
  createLog,
  randomIds,
  serveMetrics,
  stopAll,
  systemClock,
  type BaseDeps,
  type ExecTable,
  type Module,
  type Stop,
} from '@adaos/runtime';
import { readTrust, session } from '@adaos/session/module';
import { zonalFacade, type FacadeUrls } from '@adaos/zonal-facade/module';
import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Registry } from 'prom-client';
import { BUILD } from './build.js';
import type { Config } from './config.js';
import { removeConnection, writeConnection, type Connection } from './connection.js';
import { layOutDemoHub } from './demo-hub.js';
import { loadOrCreateKeys } from './keys.js';
import { openParts } from './parts.js';
import { issueFirstLease, registerDemoHub } from './provision.js';

const DEMO = { hub_id: 'demo', subnet_id: 'demo-subnet' } as const;
const DEMO_ONLINE_MS = 20_000;

/** A data directory that can't be used: one sentence for whoever started the zone. */
export class ZoneStartError extends Error {
  override readonly name = 'ZoneStartError';
}

/**
 * Starts every service and the demo hub in this process, then registers the hub and issues the printed lease through the front door.
 * `say` hears of each step done. If a step fails, what was started is stopped again and the error goes on. `plane_tools` are tools of a
 * further plane that the caller registered.
 */
export async function startZone(
  given: Readonly<Config>,
  say: (step: string) => void,
  plane_tools: ExecTable = {},
): Promise<{ connection: Connection; stop: Stop }> {
  const config = { ...given, ZONE_DATA_DIR: resolve(given.ZONE_DATA_DIR) };
  makeDataDir(config.ZONE_DATA_DIR);
  const stops: Stop[] = [];
  const stop: Stop = () => stopAll(stops.splice(0))();
  try {
    return { connection: await startAll(config, stops, say, plane_tools), stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

async function startAll(
  config: Config,
  stops: Stop[],
  say: (step: string) => void,
  plane_tools: ExecTable,
): Promise<Connection> {
  const { ZONE: zone, ZONE_DATA_DIR: data_dir } = config;
  const log = createLog('zone', config.ZONE_LOG_LEVEL);
  const trust = readTrust(config);
  const keys = loadOrCreateKeys(data_dir);
  const operator_token = randomIds.bearer('adm');
  const metrics = new Registry();
  stops.push(await serveMetrics({ host: config.METRICS_HOST, port: config.METRICS_PORT }, metrics));
  const { store, limits, connectBus } = await openParts(config, log, stops, say);

  async function start<D extends BaseDeps>(
    module: Module<D>,
    user: BusUser,
    own: Omit<D, keyof BaseDeps>,
    hub_id?: string,
  ): Promise<void> {
    const base: BaseDeps = {
      zone,
      bus: await connectBus(user, hub_id),
      clock: systemClock,
      ids: randomIds,
      log: log.child({ service: module.name }),
      metrics,
    };
    stops.push(await module.start({ ...base, ...own } as unknown as D));
  }

  // Known once the door is open, and nothing can be asked before.
  let own_url: string | null = null;
  // The record first, the door last: nothing can be asked before it can be recorded.
  await start(audit, 'audit', { store });
  await start(session, 'session', {
    store,
    hmac_keys: keys.hmac_keys,
    bootstrap_operator_digest: sha256(operator_token),
    root_url: () => own_url,
    trust,
  });
  await start(policy, 'policy', {
    store,
    policy_dir: resolve(config.POLICY_DIR),
    ...(config.ZONE_POLICY_DIR !== undefined && { zone_policy_dir: resolve(config.ZONE_POLICY_DIR) }),
    last_good_file: join(data_dir, 'policies-in-force.json'),
    permit_key: keys.permit_key,
  });
  await start(descriptor, 'descriptor', { build: BUILD, plane_tools });
  await start(router, 'router', {
    store,
    limits,
    heartbeat_ms: config.HEARTBEAT_MS,
    policy_down_reads: config.POLICY_DOWN_READS === 'allow_decided' ? 'allow_decided' : 'deny',
  });
  const urls = await new Promise<FacadeUrls>((done, failed) => {
    const facade = {
      HOST: config.ZONE_HOST,
      PORT: config.ZONE_PORT,
      ALLOWED_HOSTS: '',
      ALLOWED_ORIGINS: '',
      TRUST_PROXY: '',
      CONSOLE_DIR: resolve(config.CONSOLE_DIR),
    };
    const own = { config: facade, request_state_keys: keys.request_state_keys, on_listening: done };
    start(zonalFacade, 'facade', own).catch(failed);
  });
  const { root_url, mcp_url, console_url } = urls;
  own_url = root_url;
  say('services: facade, router, session, policy, descriptor, audit');

  const desk = {
    root_url,
    ...DEMO,
    operator_token,
    zone,
    capability_profile: config.ZONE_PROFILE,
    wait_ms: DEMO_ONLINE_MS,
  };
  const target_id = await registerDemoHub(desk);
  const demo_dir = join(data_dir, 'demo-hub');
  const file = await layOutDemoHub(demo_dir, DEMO.hub_id, config.HEARTBEAT_MS);
  const agent_config = parseAgentConfig(readFileSync(file, 'utf8'), { file });
  const agent_dir = join(demo_dir, 'agent');
  await start(
    agent,
    'hub',
    { config: agent_config, data_dir: agent_dir, root_public_key: keys.permit_public_pem },
    DEMO.hub_id,
  );
  const bearer = await issueFirstLease(desk, target_id);
  say(`demo hub: ${target_id} is online`);
  const connection = {
    root_url,
    mcp_url,
    console_url: console_url ?? `${root_url}/console/`,
    zone,
    target_id,
    subnet_id: DEMO.subnet_id,
    bearer,
    operator_token,
    pid: process.pid,
  };
  writeConnection(data_dir, connection);
  // Only now: a start that fails earlier must not take away the file of a zone that runs on this directory.
  stops.push(async () => removeConnection(data_dir));
  return connection;
}

function makeDataDir(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'unknown';
    throw new ZoneStartError(
      `The data directory ${dir} can not be used (${code}): set ZONE_DATA_DIR to a directory you may write.`,
    );
  }
}
