import type { Migration } from '../migrate.js';

export const targets: Migration = {
  name: '0003_targets',
  up: () => `
    -- What root owns of a target. A hub's report can't reach this table (D3).
    create table targets (
      target_id   text primary key,
      zone        text not null,
      subnet_id   text not null,
      title       text not null,
      kind        text not null,
      environment text not null check (environment in ('test', 'staging', 'production')),
      owner       text not null,
      policy      jsonb not null,
      skill       jsonb not null
        check (skill ->> 'state' in ('installed', 'enabled', 'disabled', 'missing')),
      created_at  timestamptz(3) not null default now(),
      updated_at  timestamptz(3) not null default now(),
      version     bigint not null default 1
    );
    create index targets_by_zone on targets (zone, target_id);

    -- What the hub said last.
    create table target_reports (
      target_id    text primary key references targets on delete cascade,
      epoch        text not null,
      cursor       bigint not null,
      last_seen_at timestamptz(3) not null,
      connected_at timestamptz(3) not null,
      rtt_ms       integer,
      reported     jsonb not null
    );
  `,
};
