import { loadConfig, runMain, type ExecTable } from '@adaos/runtime';
import ansis from 'ansis';
import { banner } from './banner.js';
import { Config } from './config.js';
import { startZone } from './zone.js';

/** The program: settings from `env`, the zone, its banner, a drain at the end. */
export const runZone = (
  env: Readonly<Record<string, string | undefined>>,
  plane_tools: ExecTable = {},
): Promise<void> =>
  runMain('zone', async () => {
    const config = loadConfig(Config, env);
    const began = Date.now();
    const say = (step: string) =>
      process.stderr.write(`  ${ansis.green('✓')} ${step} ${ansis.dim(`${Date.now() - began} ms`)}\n`);
    const { connection, stop } = await startZone(config, say, plane_tools);
    process.stdout.write(banner(connection, config.ZONE_PROFILE));
    return async () => {
      process.stderr.write('  draining\n');
      await stop();
      process.stderr.write('  stopped\n');
    };
  });
