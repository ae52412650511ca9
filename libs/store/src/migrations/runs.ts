import type { Migration } from '../migrate.js';

export const runs: Migration = {
  name: '0010_runs',
  up: () => `
    create table runs (
      run_id     text primary key,
      zone       text not null,
      lease_id   text not null,
      event_id   text not null unique,
      call_id    text not null,
      tool_id    text not null,
      target_id  text,
      subnet_id  text,
      status     text not null check (status in ('working', 'completed', 'failed', 'cancelled')),
      progress   jsonb,
      -- The envelope as it was answered, masked: it is shown again, never read into.
      outcome    jsonb,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      check ((status = 'working') = (outcome is null))
    );
    create index runs_working on runs (zone, updated_at) where status = 'working';
    create index runs_by_expiry on runs (expires_at);
  `,
};
