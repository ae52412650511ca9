import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createInProcessBroker, type InProcessBroker } from '@adaos/bus/in-process';
import { OpError, subjectOf, type Grant } from '@adaos/contracts';
import { testClock, until, type TestClock } from '@adaos/testing';
import { createGrantCache, type GrantCache } from './grants.js';

const DIGEST = 'a'.repeat(64);
const grant = (over: Partial<Grant> = {}): Grant => ({
  grant_id: 'lse_1',
  auth_method: 'mcp_session_lease',
  actor: 'mcp_session_lease:lse_1',
  role: null,
  zone: 'local',
  subnet_id: 's',
  target_id: 'hub:demo',
  audience: 'mcp',
  capability_profile: 'InfraOpsRead',
  profile_version: 1,
  capabilities: [],
  allowed_tools: [],
  deadline_at: '2026-01-01T01:00:00.000Z',
  ...over,
});

describe('grant cache', () => {
  let broker: InProcessBroker;
  let clock: TestClock;
  let cache: GrantCache;
  let resolves: number;
  let epoch: number;
  let session_up: boolean;
  let answer: () => Promise<Grant>;

  beforeEach(async () => {
    broker = createInProcessBroker();
    clock = testClock();
    resolves = 0;
    epoch = 0;
    session_up = true;
    answer = async () => grant();
    const session = broker.connect('session');
    const serve = (subject: string, handler: () => Promise<unknown>) =>
      session.serve(subject, { queue: 'session', max_concurrency: 10 }, handler);
    serve(subjectOf('session_resolve'), async () => {
      resolves++;
      return answer();
    });
    let asked = 0;
    serve(subjectOf('session_epoch'), async () => {
      if (!session_up) throw new OpError('dependency_unavailable');
      asked++;
      return { epoch };
    });
    cache = createGrantCache({ bus: broker.connect('router'), clock });
    await until('the first epoch', () => asked || undefined);
  });
  afterEach(async () => {
    cache.stop();
    await broker.close();
  });

  const codeOf = (digest: string | null = DIGEST) =>
    cache.resolve(digest).then(
      () => 'ok',
      (error: OpError) => error.code,
    );

  test('a second call asks session no more', async () => {
    expect([await codeOf(), await codeOf(), resolves]).toEqual(['ok', 'ok', 1]);
  });

  test('no bearer is unauthenticated without asking', async () => {
    expect([await codeOf(null), resolves]).toEqual(['unauthenticated', 0]);
  });

  test('expiry is judged at every read, also from the cache', async () => {
    expect(await codeOf()).toBe('ok');
    clock.advance(3_600_000);
    expect(await codeOf()).toBe('lease_expired');
  });

  test('an operator grant that lapsed is resolved anew, not refused', async () => {
    const until_ = (ms: number) => new Date(clock.now() + ms).toISOString();
    answer = async () => grant({ auth_method: 'operator_token', deadline_at: until_(60_000) });
    expect(await codeOf()).toBe('ok');
    clock.advance(60_000);
    expect([await codeOf(), resolves]).toEqual(['ok', 2]);
  });

  test('a revocation event counts at once', async () => {
    await cache.resolve(DIGEST);
    cache.revoke('lse_1', 1);
    expect([await codeOf(), cache.isRevoked('lse_1')]).toEqual(['lease_revoked', true]);
  });

  test('a lost event is caught by the epoch', async () => {
    await cache.resolve(DIGEST);
    epoch = 1;
    answer = async () => Promise.reject(new OpError('lease_revoked'));
    clock.advance(500);
    await until('the epoch to be seen', async () =>
      (await codeOf()) === 'lease_revoked' ? true : undefined,
    );
    expect(resolves).toBe(2);
  });

  test('with session away nothing is served from the cache after two seconds', async () => {
    await cache.resolve(DIGEST);
    session_up = false;
    clock.advance(2_000);
    answer = async () => Promise.reject(new OpError('dependency_unavailable'));
    expect(await codeOf()).toBe('dependency_unavailable');
  });

  test('a grant resolved across a revocation is not kept', async () => {
    let release: (value: Grant) => void = () => undefined;
    answer = () => new Promise((done) => (release = done));
    const first = cache.resolve(DIGEST);
    await until('the question', () => resolves || undefined);
    cache.revoke('lse_other', 1);
    release(grant());
    await first;
    answer = async () => grant();
    await cache.resolve(DIGEST);
    expect(resolves).toBe(2);
  });
});
