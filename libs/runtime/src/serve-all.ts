import type { Bus } from '@adaos/bus';
import { subjectOf, type SubjectId } from '@adaos/contracts';
import type { ServeContext } from '@adaos/bus';
import { stopAll, type Stop } from './module.js';

export type HandlerTable = Partial<
  Record<SubjectId, (body: unknown, context: ServeContext) => Promise<unknown>>
>;

/** Requests one replica handles at once; the rest wait, then are told so. */
const MAX_CONCURRENCY = 256;

export interface ServedAll {
  readonly stop: Stop;
  /** Does a request with this id wait or run on any of the subjects? */
  holds(request_id: string): boolean;
}

/** Serves every subject of a handler table in one queue group. `<hub_id>` subjects are served for every hub. */
export function serveTable(bus: Bus, queue: string, table: HandlerTable): ServedAll {
  const served = (Object.keys(table) as SubjectId[]).map((id) =>
    bus.serve(
      subjectOf(id, '*'),
      { queue, max_concurrency: MAX_CONCURRENCY, max_waiting: 1_024 },
      table[id]!,
    ),
  );
  return { stop: stopAll(served), holds: (request_id) => served.some((one) => one.holds(request_id)) };
}

/** The same for a service that only needs to stop. */
export const serveAll = (bus: Bus, queue: string, table: HandlerTable): Stop =>
  serveTable(bus, queue, table).stop;
