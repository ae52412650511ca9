import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary } from './binary.mjs';
import { PROBES } from './probe.mjs';
import { launch, onPort } from './process.mjs';
import { ownDir } from './own-dir.mjs';
import { ServiceError } from './service-error.mjs';

/**
 * Starts a NATS server with JetStream on 127.0.0.1.
 * @param {{ port?: number, dir?: string, config_text?: string, env?: Record<string, string>, detached?: boolean }} [options]
 *   `port` 0 (default): any free one; without `dir` a temporary one is used and removed. `config_text` (natsServerConfig()) may name
 *   passwords by variables of `env`; its address, port and store directory are overruled, its monitoring port is left out.
 * @returns {Promise<{ url: string, port: number, pid: number, dir: string, stop: () => Promise<void> }>}
 */
export async function startNats({ port = 0, dir, config_text, env, detached = false } = {}) {
  const binary = findBinary('nats-server');
  if (!binary) throw new ServiceError('nats-server is not installed (Debian: apt-get install nats-server).');
  const own = ownDir('nats', dir);
  const store = join(own.dir, 'jetstream');
  mkdirSync(store, { recursive: true });
  const config = join(own.dir, 'nats.conf');
  writeFileSync(config, moved(config_text ?? '', store), { mode: 0o600 });
  try {
    return await onPort(port, async (free) => {
      const argv = [binary, '-c', config, '-a', '127.0.0.1', '-p', String(free)];
      const answers = async () => (await PROBES.nats('127.0.0.1', free)) === 'ready';
      const { pid, stop } = await launch({ name: 'nats', argv, dir: own.dir, env, detached, answers });
      return {
        url: `nats://127.0.0.1:${free}`,
        port: free,
        pid,
        dir: own.dir,
        stop: () => stop().then(own.remove),
      };
    });
  } catch (error) {
    own.remove();
    throw error;
  }
}

/** The same configuration with JetStream in our directory and no second port that could be taken. */
function moved(config_text, store) {
  const text = config_text.replace(/^http(_port)?\s*:.*\n/m, '');
  const store_dir = /\bstore_dir\s*:\s*"[^"]*"/;
  const here = `store_dir: ${JSON.stringify(store)}`;
  return store_dir.test(text) ? text.replace(store_dir, here) : `jetstream { ${here} }\n${text}`;
}
