import type { Migration } from '../migrate.js';

export const admissions: Migration = {
  name: '0012_admissions',
  // A revoked row stays until its token ends: without it the token would be admitted again the next time it is shown.
  up: () => `
    create table admissions (
      admission_id       text primary key,
      token_hmac         bytea not null,
      zone               text not null,
      auth_method        text not null check (auth_method in ('oidc', 'oauth_access_token')),
      admitted_by        text not null check (admitted_by in ('token', 'sign_in')),
      issuer             text not null,
      actor              text not null,
      role               text check (role in ('viewer', 'operator', 'approver', 'admin')),
      subnet_id          text,
      target_id          text,
      audience           text not null,
      capability_profile text not null,
      profile_version    integer not null,
      capabilities       text[] not null,
      allowed_tools      text[] not null,
      admitted_at        timestamptz(3) not null,
      expires_at         timestamptz(3) not null,
      token_expires_at   timestamptz(3) not null,
      revoked_at         timestamptz(3),
      revoked_by         text,
      revoke_reason      text,
      unique (zone, token_hmac),
      -- An operator has a role and no target of its own, a client a target and no role.
      check ((auth_method = 'oidc') = (role is not null)),
      check ((auth_method = 'oidc') = (target_id is null))
    );
    create index admissions_newest on admissions (zone, admitted_at desc, admission_id desc);
    create index admissions_ended on admissions (token_expires_at);
  `,
};
