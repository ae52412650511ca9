import { ConfigError } from './config.js';
import type { Stop } from './module.js';

/** Milliseconds a drain may take before the process leaves anyway. */
const DRAIN_MS = 15_000;

/**
 * Runs a service as a process: starts it, drains on SIGINT or SIGTERM, exits 0. A start that fails says why in one sentence and
 * exits 1; a config error lists every problem and exits 2. A second signal leaves at once.
 */
export async function runMain(name: string, start: () => Promise<Stop>): Promise<void> {
  const say = (line: string) => process.stderr.write(`${name}: ${line}\n`);
  process.on('unhandledRejection', (error) => {
    // A forgotten promise is a defect, not a reason to drop every call in flight.
    say(`unhandled rejection: ${error instanceof Error ? error.message : 'unknown'}`);
  });
  let stop: Stop;
  try {
    stop = await start();
  } catch (error) {
    if (error instanceof ConfigError) for (const problem of error.problems) say(problem);
    else say(error instanceof Error ? error.message : 'could not start');
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
  let leaving = false;
  const leave = () => {
    if (leaving) process.exit(130);
    leaving = true;
    setTimeout(() => {
      say('drain took too long');
      process.exit(1);
    }, DRAIN_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        say(error instanceof Error ? error.message : 'stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', leave);
  process.on('SIGTERM', leave);
}
