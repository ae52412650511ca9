import { connect, type Socket } from 'node:net';

/**
 * Opens the driver's socket. The driver retries for ever, in a busy loop, when a peer accepts the connection and closes it before the
 * first byte, as a port proxy does whose server is away. Here that is an error like a refused connection.
 */
export function dial(target: { path: string | false; host: string[]; port: number[] }): Socket {
  const socket = target.path
    ? connect({ path: target.path })
    : connect({ host: String(target.host[0]), port: Number(target.port[0]) });
  let heard = false;
  socket.once('data', () => (heard = true));
  // Before the driver's own listener, because this one is added first.
  socket.once('close', (had_error) => {
    if (heard || had_error) return;
    const error = new Error('the server closed the connection before it answered');
    socket.emit('error', Object.assign(error, { code: 'ECONNRESET' }));
  });
  return socket;
}
