import type { Migration } from '../migrate.js';

export const credentials: Migration = {
  name: '0011_credentials',
  up: () => `
    -- One table for every bearer with a deadline: leases, access tokens, API keys. They end, are counted and take each other along by the same
    -- statements.
    alter table leases
      add column kind text not null default 'mcp_session_lease'
        check (kind in ('mcp_session_lease', 'access_token', 'api_key')),
      add column issuer_id      text not null default '',
      add column name           text,
      add column role           text check (role in ('viewer', 'operator', 'approver', 'admin')),
      add column issue_profiles text[],
      -- When its end was told to every replica.
      add column told_at        timestamptz(3),
      alter column subnet_id drop not null,
      alter column target_id drop not null,
      add check (kind = 'api_key' or subnet_id is not null and target_id is not null);
    update leases set
      issuer_id = coalesce(
        substring(issued_by from '^mcp_session_lease:(.*)$'),
        (select o.operator_id from operators o where o.zone = leases.zone and 'operator:' || o.name = leases.issued_by limit 1),
        ''),
      told_at = coalesce(revoked_at, case when deadline_at <= now() then deadline_at end);

    drop index leases_by_issuer;
    drop index leases_newest;
    create index leases_by_issuer on leases (issuer_id);
    create index leases_newest on leases (zone, kind, created_at desc, session_id desc);
    -- revoked_at may lie ahead: the end of a rotation's overlap.
    create index leases_by_end on leases (least(deadline_at, revoked_at)) where told_at is null;

    alter table operators add column created_by text not null default 'configuration';
    create unique index operators_by_name on operators (zone, name);
  `,
};
