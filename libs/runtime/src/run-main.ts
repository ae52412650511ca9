import { ConfigError } from './config.js';
import type { Stop } from './module.js';

/** Milliseconds a drain may take before the process leaves anyway. */
const DRAIN_MS = 15_000;

/**
 * Milliseconds in which a second signal is the first one again: a terminal sends SIGINT to the whole process group, and npm or a
 * launcher passes its own on as SIGTERM.
 */
const SAME_SIGNAL_MS = 1_000;

/** What runMain needs of the process it runs in. */
export interface Host {
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'unhandledRejection', heard: (value: unknown) => void): void;
  exit(code: number): void;
  /** A line for whoever started the process. */
  say(line: string): void;
  /** Epoch milliseconds. */
  now(): number;
}

const thisProcess = (name: string): Host => ({
  on: (event, heard) => void process.on(event, heard),
  exit: (code) => process.exit(code),
  say: (line) => void process.stderr.write(`${name}: ${line}\n`),
  now: () => Date.now(),
});

/**
 * Runs a service as a process: starts it, drains on SIGINT or SIGTERM, exits 0. A start that fails says why in one sentence and
 * exits 1; a config error lists every problem and exits 2. A signal during the start drains once the start is done, since only then is
 * it known what to stop. A second signal, a second later or more, leaves at once with 130.
 */
export async function runMain(
  name: string,
  start: () => Promise<Stop>,
  host = thisProcess(name),
): Promise<void> {
  let stop: Stop | undefined;
  let signalled_at: number | undefined;
  const leave = () => {
    if (signalled_at !== undefined) {
      if (host.now() - signalled_at >= SAME_SIGNAL_MS) host.exit(130);
      return;
    }
    signalled_at = host.now();
    if (stop) void drain(stop, host);
    else host.say('still starting; it stops as soon as the start is done');
  };
  // Before the start: the default would end the process and leave its children and locks behind.
  host.on('SIGINT', leave);
  host.on('SIGTERM', leave);
  // A closed terminal must not leave the database and the hub's services behind.
  host.on('SIGHUP', leave);
  // A forgotten promise is a defect, not a reason to drop every call in flight.
  host.on('unhandledRejection', (error) => host.say(`unhandled rejection: ${kindOf(error)}`));
  try {
    stop = await start();
  } catch (error) {
    if (error instanceof ConfigError) for (const problem of error.problems) host.say(problem);
    else host.say(error instanceof Error ? error.message : 'could not start');
    return host.exit(error instanceof ConfigError ? 2 : 1);
  }
  if (signalled_at !== undefined) await drain(stop, host);
}

async function drain(stop: Stop, host: Host): Promise<void> {
  setTimeout(() => {
    host.say('drain took too long');
    host.exit(1);
  }, DRAIN_MS).unref();
  try {
    await stop();
  } catch (error) {
    host.say(error instanceof Error ? error.message : 'stop failed');
    return host.exit(1);
  }
  host.exit(0);
}

/** Name and class only: the message and stack of an error nobody expected may hold a bearer or a connection string. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name } = error.constructor;
  return error.name === name ? name : `${error.name} (${name})`;
}
