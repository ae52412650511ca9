import type { Migration } from '../migrate.js';

export const policyVersions: Migration = {
  name: '0013_policy_versions',
  up: (schema) => `
    create table policy_versions (
      version_id text primary key,
      zone       text not null,
      seq        bigint not null,
      author     text not null,
      note       text not null,
      text       text not null,
      digest     text not null,
      restores   text references policy_versions,
      created_at timestamptz(3) not null default clock_timestamp(),
      unique (zone, seq)
    );

    -- Append-only: which rules were in force at a time must still be readable when somebody asks why.
    create function ${schema}.refuse_policy_change() returns trigger language plpgsql as $$
      begin
        raise exception 'policy_versions is append-only' using errcode = 'insufficient_privilege';
      end $$;
    create trigger policy_versions_append_only before update or delete or truncate on policy_versions
      for each statement execute function ${schema}.refuse_policy_change();

    -- A decision is looked up by its id, and recorded ones are decided again by a proposed policy.
    alter table event_records add column decision_id text;
    create index event_records_by_decision on event_records (decision_id) where decision_id is not null;
    create index event_records_decided on event_records (zone, event_seq desc) where decision_id is not null;
  `,
};
