import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { OpError } from '@adaos/contracts';
import { permitVerifier, signPermit, type PermitClaims, type PermitUse } from './permit.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const START = Date.parse('2026-01-01T00:00:00.000Z');

const read: PermitClaims = {
  permit_id: 'prm_1',
  zone: 'local',
  hub_id: 'demo',
  lease_id: 'lse_1',
  tool_id: 'hub.get_status',
  kind: 'read',
};
const write: PermitClaims = {
  ...read,
  tool_id: 'hub.restart_service',
  kind: 'write',
  request_id: 'r1',
  arguments_digest: 'd1',
};
const use = (claims: PermitClaims, over: Partial<PermitUse> = {}): PermitUse => ({
  lease_id: claims.lease_id,
  tool_id: claims.tool_id,
  kind: claims.kind,
  request_id: 'r1',
  arguments_digest: 'd1',
  dry_run: false,
  ...over,
});

describe('permit', () => {
  let now = START;
  const verifier = (over: { zone?: string; hub_id?: string; public_key?: typeof publicKey } = {}) =>
    permitVerifier({ public_key: publicKey, zone: 'local', hub_id: 'demo', now: () => now, ...over });
  const reasonOf = (done: Promise<unknown>) =>
    done.then(
      () => 'allowed',
      (error: OpError) => error.details?.['reason'],
    );
  const signed = (claims: PermitClaims) => signPermit(privateKey, claims, START, 30);

  test('a read permit serves any request of its lease and tool until it expires', async () => {
    now = START;
    const verify = verifier();
    const permit = await signed(read);
    expect(await reasonOf(verify(permit, use(read, { request_id: 'r9', arguments_digest: 'x' })))).toBe(
      'allowed',
    );
    now = START + 34_000;
    expect(await reasonOf(verify(permit, use(read)))).toBe('allowed');
    now = START + 36_000;
    expect(await reasonOf(verify(permit, use(read)))).toBe('expired');
    now = START;
  });

  test.each([
    ['lease', { lease_id: 'lse_2' }],
    ['tool', { tool_id: 'hub.get_logs' }],
    ['kind', { kind: 'read' as const }],
    ['request', { request_id: 'r2' }],
    ['arguments', { arguments_digest: 'd2' }],
    ['dry_run', { dry_run: true }],
  ])('a write permit with another %s is refused', async (reason, over) => {
    expect(await reasonOf(verifier()(await signed(write), use(write, over)))).toBe(reason);
  });

  test('a permit of another zone, hub or key, a changed one and none are refused', async () => {
    const permit = await signed(write);
    const { publicKey: other } = generateKeyPairSync('ed25519');
    const [head, , tail] = permit.split('.');
    const forged = `${head}.${Buffer.from(JSON.stringify({ ...write, jti: 'x', iss: 'local', aud: 'demo', sub: 'lse_1', exp: 9e9 })).toString('base64url')}.${tail}`;
    const none = `${Buffer.from('{"alg":"none","typ":"permit+jwt"}').toString('base64url')}.${permit.split('.')[1]}.`;
    expect(
      await Promise.all([
        reasonOf(verifier({ zone: 'other' })(permit, use(write))),
        reasonOf(verifier({ hub_id: 'other' })(permit, use(write))),
        reasonOf(verifier({ public_key: other })(permit, use(write))),
        reasonOf(verifier()(forged, use(write))),
        reasonOf(verifier()(none, use(write))),
        reasonOf(verifier()('', use(write))),
        reasonOf(verifier()(undefined, use(write))),
      ]),
    ).toEqual(['signature', 'signature', 'signature', 'signature', 'signature', 'missing', 'missing']);
  });

  test('a read permit remembered for one hub does not serve another use', async () => {
    const verify = verifier();
    const permit = await signed(read);
    await verify(permit, use(read));
    expect(await reasonOf(verify(permit, use(read, { tool_id: 'hub.get_logs' })))).toBe('tool');
    expect(await reasonOf(verify(permit, use(write)))).toBe('tool');
  });
});
