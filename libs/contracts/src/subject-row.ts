/** Who speaks on the bus. `hub` is one user per hub id, `service` any other AdaOS service with an access token of its own (D14). */
export const BUS_USERS = [
  'facade',
  'router',
  'session',
  'policy',
  'descriptor',
  'audit',
  'hub',
  'service',
] as const;
export type BusUser = (typeof BUS_USERS)[number];

/** One row of the subject table: who may publish, who serves or hears. */
export interface SubjectRow {
  /** `<hub_id>` stands for one token. */
  readonly subject: string;
  readonly kind: 'request' | 'event' | 'stream';
  readonly from: readonly BusUser[];
  readonly to: readonly BusUser[];
  readonly summary: string;
}

/** A row, written in one breath. */
export const row = (
  kind: SubjectRow['kind'],
  subject: string,
  from: readonly BusUser[],
  to: readonly BusUser[],
  summary: string,
): SubjectRow => ({ subject, kind, from, to, summary });
