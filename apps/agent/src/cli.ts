import { inboxPrefixOf } from '@adaos/bus';
import { connectNats } from '@adaos/bus/nats';
import {
  ConfigError,
  createLog,
  loadConfig,
  printableConfig,
  randomIds,
  readPublicKey,
  runMain,
  serveHealth,
  stopAll,
  systemClock,
  type Stop,
} from '@adaos/runtime';
import { Command } from 'commander';
import { Type } from 'typebox';
import { Config } from './config.js';
import { connectingBus } from './connecting-bus.js';
import { loadAgentConfig } from './load-agent-config.js';
import { agent } from './module.js';
import { AGENT_VERSION } from './version.js';

type Env = Readonly<Record<string, string | undefined>>;

/** `run` (also without a command) and `check-config`. `argv` without program and script; `env` is read here and nowhere else. */
export async function agentCli(argv: readonly string[], env: Env): Promise<void> {
  const program = new Command('agent').description('AdaOS agent of a hub').version(AGENT_VERSION);
  program
    .command('run', { isDefault: true })
    .description('run the agent until SIGTERM')
    .option('--print-config', 'show the settings, secrets masked, and leave')
    .action((options: { printConfig?: boolean }) =>
      options.printConfig ? printConfig(env) : runMain(agent.name, () => start(env)),
    );
  program
    .command('check-config')
    .description('say what is wrong with the file of the hub, or that nothing is')
    .argument('[file]', 'default: AGENT_CONFIG')
    .action((file?: string) => checkConfig(file, env));
  await program.parseAsync([...argv], { from: 'user' });
}

async function start(env: Env): Promise<Stop> {
  const settings = loadConfig(Config, env);
  const config = loadAgentConfig(settings.AGENT_CONFIG, env);
  const root_public_key = readPublicKey('ROOT_PUBLIC_KEY_FILE', settings.ROOT_PUBLIC_KEY_FILE);
  const log = createLog(agent.name, settings.LOG_LEVEL).child({ hub_id: config.hub_id });
  const connect = () =>
    connectNats({
      url: settings.NATS_URL,
      user: settings.NATS_USER,
      password: settings.NATS_PASSWORD,
      name: `agent:${config.hub_id}@${settings.ZONE}`,
      inbox_prefix: inboxPrefixOf('hub', config.hub_id),
      subject_prefix: settings.SUBJECT_PREFIX,
      log,
    });
  const bus = connectingBus(connect, log);
  const health = await serveHealth(settings.HEALTH_PORT, async () => bus.connected);
  const deps = { zone: settings.ZONE, bus, clock: systemClock, ids: randomIds, log };
  const data_dir = settings.AGENT_DATA_DIR;
  const stop = await agent.start({ ...deps, config, data_dir, root_public_key });
  log.info('started');
  return stopAll([() => bus.close(), health, stop]);
}

function printConfig(env: Env): void {
  const shown = printableConfig(Config, loadConfig(Config, env));
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
}

function checkConfig(file: string | undefined, env: Env): void {
  const path = file ?? loadConfig(Type.Pick(Config, ['AGENT_CONFIG']), env).AGENT_CONFIG;
  try {
    const { hub_id, services, health_checks, log_sources } = loadAgentConfig(path, env);
    const counts = `${services.length} services, ${health_checks.length} health checks, ${log_sources.length} log sources`;
    process.stdout.write(`${path}: right, hub ${hub_id} with ${counts}\n`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exitCode = 2;
  }
}
