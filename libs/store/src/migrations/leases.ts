import type { Migration } from '../migrate.js';

export const leases: Migration = {
  name: '0001_leases',
  up: () => `
    create table leases (
      session_id         text primary key,
      token_hmac         bytea not null unique,
      zone               text not null,
      subnet_id          text not null,
      target_id          text not null,
      audience           text not null,
      actor              text not null,
      issued_by          text not null,
      capability_profile text not null,
      profile_version    integer not null,
      capabilities       text[] not null,
      allowed_tools      text[] not null,
      created_at         timestamptz(3) not null,
      deadline_at        timestamptz(3) not null,
      ttl_seconds        integer not null check (ttl_seconds > 0),
      note               text not null default '',
      revoked_at         timestamptz(3),
      revoked_by         text,
      revoke_reason      text,
      rotated_from       text references leases
    );
    create index leases_newest on leases (created_at desc, session_id desc);
    create index leases_by_target on leases (target_id, created_at desc, session_id desc);
    create index leases_by_origin on leases (rotated_from) where rotated_from is not null;

    -- Grows with each revoke, so that a cache can tell in one read that it missed a revocation (D5).
    create table lease_epoch (
      zone  text primary key,
      epoch bigint not null
    );

    -- Apart from leases: each use writes here, and nothing that decides about a grant may wait for that.
    create table lease_usage (
      session_id   text primary key,
      use_count    bigint not null,
      last_used_at timestamptz(3) not null,
      last_tool_id text
    );
  `,
};
