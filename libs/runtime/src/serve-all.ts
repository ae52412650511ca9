import type { Bus } from '@adaos/bus';
import { subjectOf, type SubjectId } from '@adaos/contracts';
import type { ServeContext } from '@adaos/bus';
import { stopAll, type Stop } from './module.js';

export type HandlerTable = Partial<
  Record<SubjectId, (body: unknown, context: ServeContext) => Promise<unknown>>
>;

/** Requests one replica handles at once; the rest wait, then are told so. */
const MAX_CONCURRENCY = 256;

/** Serves every subject of a handler table in one queue group. `<hub_id>` subjects are served for every hub. */
export function serveAll(bus: Bus, queue: string, table: HandlerTable): Stop {
  const served = (Object.keys(table) as SubjectId[]).map((id) =>
    bus.serve(
      subjectOf(id, '*'),
      { queue, max_concurrency: MAX_CONCURRENCY, max_waiting: 1_024 },
      table[id]!,
    ),
  );
  return stopAll(served);
}
