import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AccessToken, ApiKey, Operator } from '@adaos/contracts';
import { ago, lease } from '../fixture/records.js';
import { sample } from '../fixture/sample.js';
import { adaosctl } from '../fixture/terminal.js';
import { answered, startFixtureZone, type FixtureZone, type Seen } from '../fixture/zone.js';

const TOKEN_ID = 'tok_01K6FZ8Q000000000000000001';
const KEY_ID = 'key_01K6FZ8Q000000000000000001';
const OPERATOR_ID = 'opr_01K6FZ8Q000000000000000001';

const { session_id: _, rotated_from: __, ...shared } = lease(1);
const token: AccessToken = { token_id: TOKEN_ID, ...shared, audience: 'desktop' };
const { audience: ___, ...of_key } = shared;
const key: ApiKey = {
  ...of_key,
  key_id: KEY_ID,
  name: 'ci',
  role: null,
  issue_profiles: ['InfraOpsRead'],
  target_id: null,
  subnet_id: 'lab-1',
};
const operator: Operator = {
  operator_id: OPERATOR_ID,
  name: 'ann',
  role: 'operator',
  zone: 'local',
  status: 'active',
  created_at: ago(3600),
  created_by: 'operator:bootstrap',
  disabled_at: null,
  last_used_at: null,
  use_count: 0,
};

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone(sample())));
afterEach(() => zone.close());

/** Answers one path, and tells what was sent there. */
const answering = (path: string, payload: object) => {
  zone.intercept = ({ url }: Seen) =>
    url.split('?')[0] === `/v1/root/mcp${path}` ? answered(payload) : undefined;
  return () => zone.seen.map(({ method, body }) => [method, body]);
};

describe('tokens', () => {
  test('issue shows the token once with what its client needs', async () => {
    const sent = answering('/access-tokens', {
      root_url: 'https://zone.example',
      subnet_id: 'lab-1',
      zone: 'local',
      access_token: 'atk_shown-once',
      token,
    });
    const line = 'tokens issue demo --profile InfraOpsRead --audience desktop --ttl 30m';
    const { code, out } = await adaosctl(zone, line);
    expect(code).toBe(0);
    expect(out.split('atk_shown-once')).toHaveLength(2);
    for (const text of ['https://zone.example', 'lab-1', TOKEN_ID]) expect(out).toContain(text);
    expect(sent()).toEqual([
      [
        'POST',
        {
          target_id: 'hub:demo',
          audience: 'desktop',
          capability_profile: 'InfraOpsRead',
          ttl_seconds: 1_800,
        },
      ],
    ]);
  });

  test('list and revoke', async () => {
    answering('/access-tokens', { tokens: [token], next_cursor: null });
    expect((await adaosctl(zone, 'tokens list --status active')).out).toContain(TOKEN_ID);
    const sent = answering(`/access-tokens/${TOKEN_ID}/revoke`, { token });
    expect((await adaosctl(zone, `tokens revoke ${TOKEN_ID} --reason lost`)).out).toBe(
      `Revoked ${TOKEN_ID}\n`,
    );
    expect(sent().at(-1)).toEqual(['POST', { reason: 'lost' }]);
  });
});

describe('keys', () => {
  test('create sends the scope and shows the key once', async () => {
    const sent = answering('/api-keys', { key, api_key: 'apk_shown-once' });
    const { out } = await adaosctl(zone, 'keys create ci --issues InfraOpsRead --subnet lab-1 --ttl 365d');
    expect(out.split('apk_shown-once')).toHaveLength(2);
    expect(out).toContain('subnet lab-1');
    expect(sent()).toEqual([
      ['POST', { name: 'ci', issue_profiles: ['InfraOpsRead'], subnet_id: 'lab-1', ttl_seconds: 31_536_000 }],
    ]);
    const long = await adaosctl(zone, 'keys create ci --role viewer --ttl 366d');
    expect([long.code, long.err]).toEqual([2, expect.stringContaining('60s to 365d')]);
  });

  test('list and revoke', async () => {
    answering('/api-keys', { keys: [key], next_cursor: null });
    expect((await adaosctl(zone, 'keys list')).out).toContain(KEY_ID);
    answering(`/api-keys/${KEY_ID}/revoke`, { key });
    expect((await adaosctl(zone, `keys revoke ${KEY_ID}`)).out).toBe(`Revoked ${KEY_ID} (ci).\n`);
  });
});

describe('operators', () => {
  test('create and rotate show the token once', async () => {
    const sent = answering('/operators', { operator, token: 'adm_shown-once' });
    const { out } = await adaosctl(zone, 'operators create ann --role operator');
    expect(out.split('adm_shown-once')).toHaveLength(2);
    expect(sent()).toEqual([['POST', { name: 'ann', role: 'operator' }]]);
    answering(`/operators/${OPERATOR_ID}/rotate`, { operator, token: 'adm_second' });
    expect((await adaosctl(zone, `operators rotate ${OPERATOR_ID}`)).out).toContain('adm_second');
  });

  test('list, role, disable and enable', async () => {
    answering('/operators', { operators: [operator], next_cursor: null });
    expect((await adaosctl(zone, 'operators list')).out).toContain(OPERATOR_ID);
    const sent = answering(`/operators/${OPERATOR_ID}`, {
      operator: { ...operator, status: 'disabled' },
      ended_count: 2,
    });
    const { out } = await adaosctl(zone, `operators disable ${OPERATOR_ID}`);
    expect(out).toBe('ann is operator, disabled; 2 of what it had issued ended.\n');
    await adaosctl(zone, `operators enable ${OPERATOR_ID}`);
    await adaosctl(zone, `operators role ${OPERATOR_ID} viewer`);
    expect(sent().slice(1)).toEqual([
      ['POST', { disabled: true }],
      ['POST', { disabled: false }],
      ['POST', { role: 'viewer' }],
    ]);
  });
});
