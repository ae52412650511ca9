import { HUB_ID } from './nouns/target.js';
import { SUBJECTS, type BusUser, type SubjectId } from './subjects.js';

/** The concrete subject of a row. Throws a TypeError on a token that could reach another hub (field case F27). */
export function subjectOf(id: SubjectId, token?: string): string {
  const { subject } = SUBJECTS[id];
  if (!subject.includes('<')) return subject;
  if (token === undefined || !(HUB_ID.test(token) || token === '*'))
    throw new TypeError(`bad subject token for ${id}`);
  return subject.replace(/<\w+>/, token);
}

/** Subjects a bus user may publish to and subscribe to. A hub's list names its own id only (D2). */
export function permissionsOf(user: BusUser, hub_id?: string): { publish: string[]; subscribe: string[] } {
  const token = user === 'hub' ? hub_id : '*';
  if (token === undefined) throw new TypeError('a hub user needs its hub id');
  const pick = (side: 'from' | 'to') =>
    (Object.keys(SUBJECTS) as SubjectId[])
      .filter((id) => (SUBJECTS[id][side] as readonly BusUser[]).includes(user))
      .filter((id) => !(side === 'to' && SUBJECTS[id].kind === 'stream'))
      .map((id) =>
        SUBJECTS[id].subject.includes('<source>')
          ? SUBJECTS[id].subject.replace('<source>', user)
          : subjectOf(id, token),
      );
  return { publish: pick('from'), subscribe: pick('to') };
}
