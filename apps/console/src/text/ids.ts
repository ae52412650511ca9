import type { StoredEvent } from '@adaos/contracts';

/** `lse_01K…` as `lse_…7Q2F9A`: the front of an id is its time and looks alike, the end tells ids apart. */
export function shortId(id: string): string {
  const cut = id.indexOf('_') + 1;
  return id.length - cut <= 10 ? id : `${id.slice(0, cut)}…${id.slice(-6)}`;
}

/** Is it the id of a lease? An operator's credential stands in the same field of an event. */
export const isLeaseId = (id: string | null): id is string => id !== null && id.startsWith('lse_');

/** Who acted, in few words: `lease …7Q2F9A`, `operator bootstrap`; null when nobody was recognised. */
export function actorWords({ actor }: Pick<StoredEvent, 'actor'>): string | null {
  if (actor === null) return null;
  const [kind = '', ...rest] = actor.split(':');
  const name = rest.join(':');
  if (kind === 'mcp_session_lease') return `lease ${shortId(name).replace(/^lse_/, '')}`;
  return name === '' ? actor : `${kind} ${name}`;
}
