import type { Migration } from '../migrate.js';

export const records: Migration = {
  name: '0004_records',
  up: (schema) => `
    create table event_records (
      zone              text not null,
      seq               bigint not null,
      -- seq of the event's first record: an event keeps its place in a listing when a later phase comes in.
      event_seq         bigint not null,
      event_id          text not null check (event_id <> ''),
      phase             text not null check (phase in ('opened', 'closed', 'late')),
      event_type        text not null,
      recorded_at       timestamptz(3) not null default clock_timestamp(),
      started_at        timestamptz(3) not null,
      trace_id          text,
      request_id        text,
      actor             text,
      lease_id          text,
      target_id         text,
      tool_id           text,
      subnet_id         text,
      plane_id          text,
      status            text,
      error_code        text,
      side_effect_class text,
      -- The exact bytes that were hashed. Text, not jsonb: jsonb would reorder and refuse \\u0000.
      body              text not null check (json_typeof(body::json) = 'object'),
      prev_hash         text not null,
      hash              text not null,
      primary key (zone, seq),
      unique (event_id, phase)
    );
    create index event_records_newest on event_records (zone, event_seq desc);
    create index event_records_by_time on event_records (zone, started_at desc, seq desc);
    create index event_records_by_trace on event_records (trace_id) where trace_id is not null;
    create index event_records_by_request on event_records (request_id) where request_id is not null;
    create index event_records_by_lease on event_records (lease_id, event_seq desc) where lease_id is not null;
    create index event_records_by_target on event_records (target_id, event_seq desc) where target_id is not null;
    create index event_records_by_tool on event_records (tool_id, event_seq desc) where tool_id is not null;

    -- Append-only for whoever uses the tables (D8); only an owner who first drops the trigger can edit, and then the chain shows it.
    create function ${schema}.refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception 'event_records is append-only' using errcode = 'insufficient_privilege';
      end $$;
    create trigger event_records_append_only before update or delete or truncate on event_records
      for each statement execute function ${schema}.refuse_change();

    -- Opened and not yet closed: keeps the sweep for lost outcomes as small as what is in flight, however long the record grows.
    create table open_events (
      event_id    text primary key,
      zone        text not null,
      seq         bigint not null,
      recorded_at timestamptz(3) not null default clock_timestamp()
    );
    create index open_events_by_age on open_events (recorded_at);

    create table event_dead_letters (
      id          bigserial primary key,
      received_at timestamptz(3) not null default clock_timestamp(),
      reason      text not null,
      body        text not null
    );
  `,
};
