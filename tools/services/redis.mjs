import { findBinary } from './binary.mjs';
import { PROBES } from './probe.mjs';
import { launch, onPort } from './process.mjs';
import { ownDir } from './own-dir.mjs';
import { ServiceError } from './service-error.mjs';

/**
 * Starts a Redis server on 127.0.0.1 that keeps nothing on disk: it holds counters only.
 * @param {{ port?: number, dir?: string, detached?: boolean }} [options] `port` 0 (default): any free one; without `dir` a temporary one.
 * @returns {Promise<{ url: string, port: number, pid: number, dir: string, stop: () => Promise<void> }>}
 */
export async function startRedis({ port = 0, dir, detached = false } = {}) {
  const binary = findBinary('redis-server');
  if (!binary)
    throw new ServiceError('redis-server is not installed (Debian: apt-get install redis-server).');
  const own = ownDir('redis', dir);
  try {
    return await onPort(port, async (free) => {
      const settings = {
        port: free,
        bind: '127.0.0.1',
        save: '',
        appendonly: 'no',
        dir: own.dir,
        daemonize: 'no',
      };
      const argv = [
        binary,
        ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      ];
      const answers = async () => (await PROBES.redis('127.0.0.1', free)) === 'ready';
      const { pid, stop } = await launch({ name: 'redis', argv, dir: own.dir, detached, answers });
      return {
        url: `redis://127.0.0.1:${free}`,
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
