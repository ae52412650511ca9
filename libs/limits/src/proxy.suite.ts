import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose line can be cut (closed and refused), stalled (bytes, or only answers, are swallowed) and restored. */
export interface FaultyLine {
  port: number;
  /** Connections accepted so far. */
  accepted(): number;
  cut(): Promise<void>;
  stall(what?: 'all' | 'answers'): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function faultyLine(target: { host: string; port: number }): Promise<FaultyLine> {
  const pairs = new Set<[Socket, Socket]>();
  let stalled: 'all' | 'answers' | null = null;
  let accepted = 0;
  const server = createServer((near) => {
    accepted += 1;
    const far = connect(target);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (chunk) => stalled === 'all' || (stalled && to === near) || to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => (to.destroy(), pairs.delete(pair)));
    }
  });
  const listen = (port: number) => new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  await listen(0);
  const { port } = server.address() as { port: number };
  const cut = async () => {
    const closed = server.listening
      ? new Promise<void>((done) => server.close(() => done()))
      : Promise.resolve();
    for (const [near] of pairs) near.destroy();
    await closed;
  };
  return {
    port,
    accepted: () => accepted,
    cut,
    stall: (what = 'all') => void (stalled = what),
    async restore() {
      stalled = null;
      if (!server.listening) await listen(port);
    },
    close: cut,
  };
}
