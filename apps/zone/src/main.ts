import { loadConfig, runMain } from '@adaos/runtime';
import ansis from 'ansis';
import { banner } from './banner.js';
import { Config } from './config.js';
import { startZone } from './zone.js';

void runMain('zone', async () => {
  const config = loadConfig(Config, process.env);
  const began = Date.now();
  const say = (step: string) =>
    process.stderr.write(`  ${ansis.green('✓')} ${step} ${ansis.dim(`${Date.now() - began} ms`)}\n`);
  const { connection, stop } = await startZone(config, say);
  process.stdout.write(banner(connection, config.ZONE_PROFILE));
  return async () => {
    process.stderr.write('  draining\n');
    await stop();
    process.stderr.write('  stopped\n');
  };
});
