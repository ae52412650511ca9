import { HUB_ID, permissionsOf, SUBJECTS, type BusUser } from '@adaos/contracts';

export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Stream subjects the user may read, and therefore commit. */
  readonly consume: readonly string[];
  /** Whether it answers requests: the broker then lets it reply to an inbox it may not otherwise write to. */
  readonly answers: boolean;
}

/** What a bus user may do, all of it from the subject table. Throws TypeError for a hub without a valid id. */
export function busPermissions(user: BusUser, hub_id?: string): BusPermissions {
  const rows = Object.values(SUBJECTS).filter((row) => (row.to as readonly BusUser[]).includes(user));
  return {
    ...permissionsOf(user, hub_id),
    consume: rows.filter((row) => row.kind === 'stream').map((row) => row.subject.replace(/<\w+>/, '*')),
    answers: rows.some((row) => row.kind === 'request'),
  };
}

/**
 * The broker's name for a bus user: `router`, `hub-<hub_id>`, `service-<name>`. Each hub and each other service is a user of its own,
 * so that none of them can hear another's replies. Throws TypeError on an id that isn't one token, or is missing for a hub.
 */
export function userNameOf(user: BusUser, id?: string): string {
  if (user !== 'hub' && user !== 'service') return user;
  if (id === undefined && user === 'service') return user;
  if (id === undefined || !HUB_ID.test(id)) throw new TypeError(`a ${user} user needs a valid id`);
  return `${user}-${id}`;
}

/** Where the replies to a user's requests arrive; no other user may subscribe there. */
export const inboxPrefixOf = (user: BusUser, id?: string): string => `_INBOX.${userNameOf(user, id)}`;
