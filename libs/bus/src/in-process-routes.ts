import type { RequestServer } from './serve.js';
import { covers } from './subject.js';

/** A served subject of one replica, or an event listener. */
export type Receiver =
  | { readonly pattern: string; readonly queue: string; readonly server: RequestServer }
  | { readonly pattern: string; readonly listener: (text: string, subject: string) => void };

interface Group {
  readonly servers: RequestServer[];
  next: number;
}

/** Who gets a message: one server of each queue group, every listener. */
export interface Route {
  readonly groups: readonly Group[];
  readonly listeners: readonly ((text: string, subject: string) => void)[];
}

/** Hub ids make subjects open-ended; the cache starts anew beyond this many. */
const MAX_CACHED = 4096;

export function createRoutes() {
  const receivers = new Set<Receiver>();
  const cache = new Map<string, Route>();

  function find(subject: string): Route {
    const groups = new Map<string, Group>();
    const listeners: Route['listeners'][number][] = [];
    for (const receiver of receivers) {
      if (!covers(receiver.pattern, subject)) continue;
      if ('listener' in receiver) {
        listeners.push(receiver.listener);
        continue;
      }
      const group = groups.get(receiver.queue) ?? { servers: [], next: 0 };
      group.servers.push(receiver.server);
      groups.set(receiver.queue, group);
    }
    return { groups: [...groups.values()], listeners };
  }

  return {
    add(receiver: Receiver): void {
      receivers.add(receiver);
      cache.clear();
    },
    remove(receiver: Receiver): void {
      receivers.delete(receiver);
      cache.clear();
    },
    route(subject: string): Route {
      let route = cache.get(subject);
      if (!route) {
        if (cache.size >= MAX_CACHED) cache.clear();
        cache.set(subject, (route = find(subject)));
      }
      return route;
    },
  };
}

/** The replica whose turn it is. */
export function nextServer(group: Group): RequestServer {
  const server = group.servers[group.next % group.servers.length]!;
  group.next = (group.next + 1) % group.servers.length;
  return server;
}
