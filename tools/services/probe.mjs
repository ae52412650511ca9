// Whether something answers on a port, and whether it is what we need: each service is asked in its own protocol.
import { connect } from 'node:net';

const PROBE_MS = 2_000;
/** PostgreSQL's SSLRequest: length 8, code 80877103. The server answers one byte, S or N. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Sends the opening bytes and answers what came back first.
 * @returns {Promise<string | null>} null when nobody listens or nothing came in time
 */
function firstAnswer(host, port, opening) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_MS, () => done(null));
    socket.on('error', () => done(null));
    socket.on('close', () => done(null));
    socket.on('connect', () => opening && socket.write(opening));
    socket.on('data', (data) => done(data.toString('latin1')));
  });
}

/**
 * @typedef {'absent' | 'ready' | { unfit: string }} Found
 * @type {Record<'nats' | 'redis' | 'postgres', (host: string, port: number) => Promise<Found>>}
 */
export const PROBES = {
  async nats(host, port) {
    const info = await firstAnswer(host, port, '');
    if (info === null) return 'absent';
    if (!info.startsWith('INFO ')) return { unfit: 'something else than NATS answers there' };
    return /"jetstream":\s*true/.test(info)
      ? 'ready'
      : { unfit: 'it runs without JetStream (start it with -js)' };
  },
  async redis(host, port) {
    const pong = await firstAnswer(host, port, 'PING\r\n');
    if (pong === null) return 'absent';
    return /^(\+PONG|-NOAUTH)/.test(pong) ? 'ready' : { unfit: 'something else than Redis answers there' };
  },
  async postgres(host, port) {
    const byte = await firstAnswer(host, port, SSL_REQUEST);
    if (byte === null) return 'absent';
    return /^[SN]$/.test(byte) ? 'ready' : { unfit: 'something else than PostgreSQL answers there' };
  },
};
