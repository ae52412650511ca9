import { addressKey } from '@adaos/limits/address-key';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Bounds } from './bounds.js';

type ConnectionBounds = Pick<Bounds, 'connections' | 'connections_per_address'>;

interface Connection {
  readonly name: string;
  readonly socket: Socket;
  readonly of: Group;
  /** Requests under way. */
  requests: number;
}

/** Connections in the order they may be dropped: the oldest that never sent a whole request, then the one idle longest. */
class Droppable {
  readonly silent = new Set<Connection>();
  readonly idle = new Set<Connection>();
  oldest(): Connection | undefined {
    for (const connection of this.silent) return connection;
    for (const connection of this.idle) return connection;
    return undefined;
  }
  forget(connection: Connection): void {
    this.silent.delete(connection);
    this.idle.delete(connection);
  }
}
class Group extends Droppable {
  count = 0;
  constructor(readonly key: string) {
    super();
  }
}

export type DropReason = 'address' | 'total';
export interface ConnectionWatch {
  readonly isProxy: (peer: string | undefined) => boolean;
  readonly on_dropped?: (reason: DropReason) => void;
}

export interface Connections {
  /** A new TCP connection, before its first byte. */
  opened(socket: Socket): void;
  /** A request came on its connection; what comes back tells that it was answered. */
  serving(req: IncomingMessage): () => void;
  readonly size: number;
}

/**
 * Keeps room for who has something to say. When one address, or all together, hold as many connections as may be, the oldest that has no
 * request under way makes room for the new one: half-open sockets push each other out, a client whose request is being served is never
 * among them. Connections of our own proxies count in the total only.
 */
export function connectionTable(
  bounds: ConnectionBounds,
  { isProxy, on_dropped }: ConnectionWatch,
): Connections {
  const all = new Map<string, Connection>();
  const groups = new Map<string, Group>();
  const any = new Droppable();

  function forget(connection: Connection): void {
    if (all.get(connection.name) !== connection) return;
    all.delete(connection.name);
    any.forget(connection);
    connection.of.forget(connection);
    if (--connection.of.count === 0) groups.delete(connection.of.key);
  }

  /** Makes room, or says that there is none. */
  function makeRoom(from: Droppable, reason: DropReason): boolean {
    const victim = from.oldest();
    on_dropped?.(reason);
    if (!victim) return false;
    forget(victim);
    victim.socket.destroy();
    return true;
  }

  return {
    opened(socket) {
      const name = nameOf(socket);
      const key = addressKey(socket.remoteAddress ?? '');
      const group = groups.get(key) ?? new Group(key);
      const full = group.count >= bounds.connections_per_address && !isProxy(socket.remoteAddress);
      if (full ? !makeRoom(group, 'address') : all.size >= bounds.connections && !makeRoom(any, 'total')) {
        socket.destroy();
        return;
      }
      const connection: Connection = { name, socket, of: group, requests: 0 };
      groups.set(key, group);
      group.count++;
      all.set(name, connection);
      any.silent.add(connection);
      group.silent.add(connection);
      socket.once('close', () => forget(connection));
    },
    serving(req) {
      const connection = all.get(nameOf(req.socket));
      if (!connection) return () => undefined;
      connection.requests++;
      any.forget(connection);
      connection.of.forget(connection);
      let under_way = true;
      return () => {
        if (!under_way) return;
        under_way = false;
        if (--connection.requests > 0 || all.get(connection.name) !== connection) return;
        any.idle.add(connection);
        connection.of.idle.add(connection);
      };
    },
    get size() {
      return all.size;
    },
  };
}

// Under TLS a request's socket is another object than the connection's; both ends of the line are the same.
const nameOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>) =>
  `${remoteAddress} ${remotePort}`;
