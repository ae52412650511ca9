import type { Bus } from '@adaos/bus';
import {
  LeaseRevoked,
  MAX_STANDINGS,
  RESOURCE_KINDS,
  subjectOf,
  validator,
  type Identity,
  type ResourceKind,
  type SubjectId,
} from '@adaos/contracts';
import { stopAll, type Clock, type Log, type Stop } from '@adaos/runtime';
import type { Bounds } from '../bounds.js';
import type { RouterPort } from '../router-port.js';
import { isObject } from './json-rpc.js';
import type { Filter, Stream } from './stream.js';

/** An open stream and whose it is. Nothing reaches it but what its own bearer may hear. */
export interface Listener {
  readonly stream: Stream;
  readonly bearer_digest: string;
  readonly identity: Identity;
  /** Set once it is acknowledged. */
  filter: Filter;
  /** What it lists, as a digest; a change is worth a notification. */
  listed: string;
  /** When router last vouched for its bearer, by our clock. */
  vouched_at: number;
  /** Watched resources by kind and id: the URI as the client wrote it, and the version it knows. */
  readonly watched: Map<string, { readonly uri: string; version: unknown }>;
}

/** Listeners of this replica: told of changes, vouched for twice a second, ended with their lease. */
export interface Streams {
  /** Is there room for one more of this lease, and of its subnet? */
  hasRoom(asker: Pick<Identity, 'grant_id' | 'subnet_id'>): boolean;
  /** Returns the removal. */
  add(listener: Listener): () => void;
  /** Ends all, before the server waits for its answers to finish. */
  endAll(): void;
  readonly open: number;
  readonly stop: Stop;
}

export interface StreamsDeps {
  readonly bus: Bus;
  readonly router: Pick<RouterPort, 'standings'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly bounds: Pick<
    Bounds,
    | 'streams'
    | 'streams_per_lease'
    | 'streams_per_subnet'
    | 'stream_comment_ms'
    | 'standing_every_ms'
    | 'standing_ms'
    | 'listed_every_ms'
  >;
}

const checkRevoked = validator<LeaseRevoked>(LeaseRevoked);
export const watchKey = (kind: Pick<ResourceKind, 'kind'>, id: string) => `${kind.kind} ${id}`;

export function createStreams({ bus, router, clock, log, bounds }: StreamsDeps): Streams {
  const listeners = new Set<Listener>();
  const of = (choose: (listener: Listener) => boolean) => [...listeners].filter(choose);
  const end = (listener: Listener) => {
    listeners.delete(listener);
    listener.stream.end();
  };

  /** Asks router about the bearers of these listeners: ends what holds no more, tells what lists something else now. */
  async function vouch(asked: readonly Listener[], lists: boolean): Promise<void> {
    const by_digest = groupByDigest(asked);
    const digests = [...by_digest.keys()];
    for (let i = 0; i < digests.length; i += MAX_STANDINGS) {
      const part = digests.slice(i, i + MAX_STANDINGS);
      const asked_at = clock.now();
      const standings = await router.standings(part, lists);
      part.forEach((digest, j) => {
        const { code, digest: listed } = standings[j] ?? { code: 'internal', digest: null };
        for (const listener of by_digest.get(digest) ?? []) {
          if (code !== null) end(listener);
          else {
            listener.vouched_at = asked_at;
            if (listed !== null) tellLists(listener, listed);
          }
        }
      });
    }
  }

  function tellLists(listener: Listener, listed: string): void {
    if (listener.listed === listed) return;
    listener.listed = listed;
    const { filter, stream } = listener;
    if (filter.toolsListChanged) stream.notify('notifications/tools/list_changed');
    if (filter.promptsListChanged) stream.notify('notifications/prompts/list_changed');
    if (filter.resourcesListChanged) stream.notify('notifications/resources/list_changed');
  }

  // One question at a time: while router is slow, a second one would only make it slower. Age is judged all the same.
  let asking = false;
  let looked_at = clock.now();
  function tick(): void {
    const now = clock.now();
    of(({ vouched_at }) => now - vouched_at > bounds.standing_ms).forEach(end);
    if (asking || listeners.size === 0) return;
    const lists = now - looked_at >= bounds.listed_every_ms;
    if (lists) looked_at = now;
    asking = true;
    void vouch([...listeners], lists)
      .catch((error: unknown) => log.debug({ reason: String(error) }, 'router did not vouch for streams'))
      .finally(() => (asking = false));
  }
  const soon = (chosen: readonly Listener[]) =>
    chosen.length > 0 && void vouch(chosen, true).catch(() => undefined);

  function changed(kind: ResourceKind, body: unknown): void {
    const { changes } = kind;
    const id = isObject(body) && changes ? body[changes.id] : undefined;
    if (typeof id !== 'string') return;
    const version = changes?.version && (body as Record<string, unknown>)[changes.version];
    for (const { watched, stream } of listeners) {
      const entry = watched.get(watchKey(kind, id));
      if (!entry || (version !== undefined && entry.version === version)) continue;
      entry.version = version;
      stream.notify('notifications/resources/updated', { uri: entry.uri });
    }
  }

  const hear = (subject: SubjectId, act: (body: unknown) => void) =>
    bus.subscribe(subjectOf(subject), (body) => {
      try {
        act(body);
      } catch {
        log.warn({ event: subject }, 'an event breaks its contract');
      }
    });

  const kinds = RESOURCE_KINDS.filter(({ changes }) => changes !== undefined);
  const stop = stopAll([
    clock.every(bounds.stream_comment_ms, () => listeners.forEach(({ stream }) => stream.comment())),
    clock.every(bounds.standing_every_ms, tick),
    hear('lease_revoked', (body) => {
      const { lease_id } = checkRevoked(body);
      of(({ identity }) => identity.grant_id === lease_id).forEach(end);
    }),
    hear('target_changed', (body) => {
      const id = isObject(body) ? body['target_id'] : undefined;
      soon(of(({ identity }) => identity.target_id === id));
    }),
    hear('policy_changed', () => soon([...listeners])),
    ...kinds.map((kind) => hear(kind.changes!.subject, (body) => changed(kind, body))),
  ]);

  return {
    hasRoom: ({ grant_id, subnet_id }) =>
      listeners.size < bounds.streams &&
      of(({ identity }) => identity.grant_id === grant_id).length < bounds.streams_per_lease &&
      of(({ identity }) => identity.subnet_id === subnet_id).length < bounds.streams_per_subnet,
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    endAll: () => [...listeners].forEach(end),
    get open() {
      return listeners.size;
    },
    stop,
  };
}

function groupByDigest(asked: readonly Listener[]): Map<string, Listener[]> {
  const groups = new Map<string, Listener[]>();
  for (const listener of asked) {
    const group = groups.get(listener.bearer_digest);
    if (group) group.push(listener);
    else groups.set(listener.bearer_digest, [listener]);
  }
  return groups;
}
