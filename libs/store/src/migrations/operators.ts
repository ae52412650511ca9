import type { Migration } from '../migrate.js';

export const operators: Migration = {
  name: '0002_operators',
  up: () => `
    create table operators (
      operator_id text primary key,
      token_hmac  bytea not null unique,
      name        text not null,
      role        text not null check (role in ('viewer', 'operator', 'approver', 'admin')),
      zone        text not null,
      created_at  timestamptz(3) not null default now(),
      disabled_at timestamptz(3)
    );
  `,
};
