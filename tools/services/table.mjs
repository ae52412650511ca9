import { startNats } from './nats.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

/**
 * The servers of the split topology. `variable` names the environment variable with the URL the services read.
 * @type {Record<'nats' | 'redis' | 'postgres', { variable: string, port: number, debian: string, signal: NodeJS.Signals,
 *   start: (options: { port: number, dir: string, detached: true }) => Promise<{ pid: number, dir: string }> }>}
 */
export const SERVICES = {
  nats: { variable: 'NATS_URL', port: 4222, debian: 'nats-server', signal: 'SIGTERM', start: startNats },
  redis: { variable: 'REDIS_URL', port: 6379, debian: 'redis-server', signal: 'SIGTERM', start: startRedis },
  postgres: {
    variable: 'DATABASE_URL',
    port: 5432,
    debian: 'postgresql',
    signal: 'SIGINT',
    start: startPostgres,
  },
};

/** Where a service is expected: its URL's host and port, or its standard port of this machine. */
export function placeOf({ variable, port }, env = process.env) {
  if (!env[variable]) return { host: '127.0.0.1', port, given: false };
  // A list of brokers is asked at its first.
  const url = new URL(env[variable].split(',')[0].replace(/^[a-z]+:/, 'http:'));
  return { host: url.hostname, port: Number(url.port || port), given: true };
}

export const isLocal = (host) => ['127.0.0.1', 'localhost', '[::1]'].includes(host);
