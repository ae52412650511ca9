// node tools/services/down.mjs [nats] [redis] [postgres]
// Stops what up.mjs started, never what was there before. Data stays.
import { composeStop } from './compose.mjs';
import { forget, isAlive, servicesDir, startedBefore } from './started.mjs';
import { SERVICES } from './table.mjs';

const STOP_MS = 10_000;

/** @returns {Promise<string>} one line on what was done */
export async function takeDown(name, env = process.env) {
  const dir = servicesDir(env);
  const started = startedBefore(dir, name);
  if (!started) return 'not started here';
  if (started.kind === 'container') {
    const refused = composeStop(name);
    if (refused === null) forget(dir, name);
    return refused ?? 'container stopped';
  }
  const was_alive = isAlive(started);
  if (was_alive) {
    process.kill(started.pid, started.signal);
    for (const deadline = Date.now() + STOP_MS; isAlive(started) && Date.now() < deadline;)
      await new Promise((resolve) => setTimeout(resolve, 20));
    if (isAlive(started)) return `pid ${started.pid} does not stop`;
  }
  forget(dir, name);
  return was_alive ? `stopped, pid ${started.pid}` : 'had ended already';
}

if (process.argv[1]?.endsWith('down.mjs')) {
  const asked = process.argv.slice(2);
  for (const name of asked.length ? asked : Object.keys(SERVICES)) {
    if (!Object.hasOwn(SERVICES, name)) {
      console.error(`usage: node tools/services/down.mjs [${Object.keys(SERVICES).join('] [')}]`);
      process.exit(2);
    }
    console.log(`${name.padEnd(9)} ${await takeDown(name)}`);
  }
}
