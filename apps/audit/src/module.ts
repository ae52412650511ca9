import { AUDIT_STREAM, subjectOf, type OperationalEvent } from '@adaos/contracts';
import { serveAll, stopAll, type BaseDeps, type Module } from '@adaos/runtime';
import { insertRecords, type Store } from '@adaos/store';
import { handlers } from './handlers.js';
import { toRecord } from './record.js';

export interface AuditDeps extends BaseDeps {
  readonly store: Store;
}

/** Messages per batch; one message may carry many records. */
const MAX_BATCH = 64;

/** The record: consumes the audit stream into the table in batches, answers what happened. */
export const audit: Module<AuditDeps> = {
  name: 'audit',
  async start({ bus, store, zone, log }) {
    // Whoever waits for the outcome of a write that was answered without it: only those are told, so it is a rare event.
    const announce = (event_id: string) => {
      try {
        bus.publish(subjectOf('record_completed'), { event_id });
      } catch {
        log.info({ event_id }, 'a completed event was not announced: the bus is away');
      }
    };
    const consumed = await bus.consume(
      {
        stream: AUDIT_STREAM,
        subjects: [subjectOf('audit_record', '*')],
        durable: 'audit',
        max_batch: MAX_BATCH,
      },
      async (batch) => {
        const rows = batch.flatMap(({ body, msg_id }) => {
          const records = recordsOf(body);
          // Whoever sent it was told that it is durable: a message without records is a defect to be seen.
          if (records.length === 0) log.error({ msg_id }, 'a message of the audit stream holds no records');
          return records.map(toRecord);
        });
        const { inserted, dead_lettered } = await insertRecords(store.sql, zone, rows);
        for (const { event_id, phase } of rows) if (phase === 'late') announce(event_id);
        if (dead_lettered) log.warn({ dead_lettered, inserted }, 'records went to the dead-letter table');
      },
    );
    return stopAll([serveAll(bus, 'audit', handlers({ zone, sql: store.sql })), consumed]);
  },
};

const recordsOf = (body: unknown): OperationalEvent[] => {
  const records = (body as { records?: unknown } | null | undefined)?.records;
  return Array.isArray(records) ? (records as OperationalEvent[]) : [];
};
