import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { SCOPE_PROFILES } from '@adaos/contracts';
import { ConfigError, loadConfig, printableConfig } from '@adaos/runtime';
import { Type } from 'typebox';
import { IdentitySettings } from './settings.js';
import { readTrust } from './trust.js';

const dir = mkdtempSync(join(tmpdir(), 'trust-'));
const secret = join(dir, 'secret');
writeFileSync(secret, 'a-client-secret\n');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const Settings = Type.Object(IdentitySettings);
const trust = (env: Record<string, string>) => readTrust(loadConfig(Settings, env));
const problems = (env: Record<string, string>): readonly string[] => {
  try {
    trust(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const OIDC = {
  OIDC_ISSUER: 'https://login.example.org',
  OIDC_CLIENT_ID: 'zone',
  OIDC_ROLE_MAP: 'cn=admins,dc=lab=admin;everyone=viewer',
};
const OAUTH = {
  OAUTH_ISSUERS: 'https://a.example.org, https://b.example.org/realm',
  OAUTH_RESOURCE: 'https://zone.example.org/v1/root/mcp',
  OAUTH_DEFAULT_TARGET: 'hub:lab',
};

describe('settings of identities', () => {
  test('nothing set trusts nobody', () => {
    expect(trust({})).toEqual({ oidc: null, oauth: null, clock_skew_s: 30 });
  });

  test('an identity provider, with its secret from a file', () => {
    expect(
      trust({ ...OIDC, OIDC_ROLE_MAP: 'a=admin, b=viewer', OIDC_CLIENT_SECRET_FILE: secret }).oidc,
    ).toMatchObject({
      issuer: 'https://login.example.org',
      audience: 'zone',
      client_secret: 'a-client-secret',
      role_map: [
        { value: 'a', role: 'admin' },
        { value: 'b', role: 'viewer' },
      ],
    });
    expect(
      JSON.stringify(
        printableConfig(Settings, loadConfig(Settings, { ...OIDC, OIDC_CLIENT_SECRET_FILE: secret })),
      ),
    ).not.toContain('a-client-secret');
  });

  test('authorization servers, without introspection unless there is a client for it', () => {
    expect(trust(OAUTH).oauth).toMatchObject({
      issuers: ['https://a.example.org', 'https://b.example.org/realm'],
      introspection: null,
      default_profiles: ['InfraOpsRead'],
      default_target: 'hub:lab',
    });
  });

  test.each<[string, Record<string, string>, string]>([
    [
      'http elsewhere',
      { ...OIDC, OIDC_ISSUER: 'http://login.example.org' },
      'OIDC_ISSUER must be an https URL',
    ],
    [
      'a password in the URL',
      { ...OIDC, OIDC_ISSUER: 'https://u:p@login.example.org' },
      'OIDC_ISSUER must be an https URL',
    ],
    [
      'a name that begins like this machine',
      { ...OIDC, OIDC_ISSUER: 'http://localhost.example.org' },
      'OIDC_ISSUER must be an https URL',
    ],
    ['no client', { ...OIDC, OIDC_CLIENT_ID: '' }, 'OIDC_CLIENT_ID is missing'],
    ['nobody in the map', { ...OIDC, OIDC_ROLE_MAP: '' }, 'nobody could come in'],
    ['a role that is none', { ...OIDC, OIDC_ROLE_MAP: 'a=root' }, '"a=root" is not value=role'],
    ['a secret that is not there', { ...OIDC, OIDC_CLIENT_SECRET_FILE: join(dir, 'no') }, 'can not read'],
    ['no audience', { ...OAUTH, OAUTH_RESOURCE: '' }, 'a token of any audience would do'],
    ['an audience with a query', { ...OAUTH, OAUTH_RESOURCE: 'https://z.example.org/mcp?a' }, 'no query'],
    ['no target', { ...OAUTH, OAUTH_DEFAULT_TARGET: '' }, 'a token without a target gets nothing'],
    [
      'a profile that hands out credentials',
      { ...OAUTH, OAUTH_DEFAULT_PROFILES: 'LeaseAdmin' },
      '"LeaseAdmin" is none of',
    ],
    [
      'keys of two servers in one place',
      { ...OAUTH, OAUTH_JWKS_URL: 'https://a.example.org/jwks' },
      'for one authorization server',
    ],
    [
      'introspection without a secret',
      { ...OAUTH, OAUTH_ISSUERS: 'https://a.example.org', OAUTH_INTROSPECTION_CLIENT_ID: 'x' },
      'OAUTH_INTROSPECTION_SECRET_FILE is missing',
    ],
    [
      'five servers',
      { ...OAUTH, OAUTH_ISSUERS: '1,2,3,4,5'.replace(/\d/g, 'https://s$&.example.org') },
      'more than four',
    ],
  ])('%s is a problem', (_, env, problem) => {
    expect(problems(env).join('; ')).toContain(problem);
  });

  test('http is for this machine', () => {
    for (const issuer of ['http://127.0.0.1:8080', 'http://localhost:8080/realm', 'http://[::1]:8080'])
      expect(problems({ ...OIDC, OIDC_ISSUER: issuer })).toEqual([]);
  });

  test('all problems are told at once', () => {
    expect(
      problems({ OIDC_ISSUER: 'http://x.example.org', OAUTH_ISSUERS: 'ftp://x' }).length,
    ).toBeGreaterThanOrEqual(5);
  });

  test('a scope names any profile but those that hand out credentials', () => {
    expect(SCOPE_PROFILES).toContain('InfraOpsControl');
    expect(SCOPE_PROFILES).not.toContain('LeaseAdmin');
  });
});
