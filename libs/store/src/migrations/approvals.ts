import type { Migration } from '../migrate.js';

export const approvals: Migration = {
  name: '0007_approvals',
  up: () => `
    create table approvals (
      approval_id      text primary key,
      zone             text not null,
      subnet_id        text,
      target_id        text,
      tool_id          text not null,
      grant_id         text not null,
      requested_by     text not null,
      event_id         text not null,
      arguments        jsonb not null,
      arguments_digest text not null,
      requested_at     timestamptz(3) not null,
      expires_at       timestamptz(3) not null,
      decision         text check (decision in ('approved', 'rejected')),
      decided_at       timestamptz(3),
      decided_by       text,
      reason           text,
      used_at          timestamptz(3),
      used_by_event_id text,
      used_request_id  text,
      check ((decision is null) = (decided_at is null)),
      check (used_at is null or decision = 'approved')
    );
    create index approvals_newest on approvals (zone, requested_at desc, approval_id desc);
    create index approvals_open on approvals (grant_id, expires_at) where decision is null;
  `,
};
