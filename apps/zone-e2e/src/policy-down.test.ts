import { afterEach, describe, expect, test } from '@jest/globals';
import { subjectOf } from '@adaos/contracts';
import { startPolicyBench, type PolicyBench } from './policy-bench.js';

const FOUNDATION = 'adaos_dev.get_foundation';
const CONTRACTS = 'adaos_dev.list_contracts';
const AWAY = { code: 'dependency_unavailable', details: { dependency: 'policy' } };

/** The decision point is away: what is refused, and what may go on where the zone says so. */
describe('policy away', () => {
  let bench: PolicyBench;
  afterEach(() => bench.stop(), 30_000);

  /** A zone whose policy answered a read of each kind, and went away more than two seconds ago. */
  const begin = async (policy_down_reads?: 'deny' | 'allow_decided') => {
    bench = await startPolicyBench({ policy_down_reads });
    const { result } = await bench.spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'SdkRead',
    });
    const { bearer, session } = result as { bearer: string; session: { session_id: string } };
    const read = (tool = FOUNDATION) => bench.spine.call(bearer, tool);
    const decided = await read();
    expect([decided.ok, (await bench.status()).ok]).toEqual([true, true]);
    await bench.spine.stopPolicy();
    await bench.pass(2_100);
    return { read, decided, session };
  };

  test('by default everything is denied, also what was allowed before', async () => {
    const { read } = await begin();
    for (const envelope of [await read(), await read(CONTRACTS), await bench.status(), await bench.restart()])
      expect([envelope.ok, envelope.error]).toEqual([false, expect.objectContaining(AWAY)]);
    await bench.spine.startPolicy();
    await bench.pass(600);
    expect([(await read()).ok, (await bench.status()).ok]).toEqual([true, true]);
  }, 60_000);

  test('where the zone says so, decided reads of root’s own descriptions go on and are recorded as such', async () => {
    const { read, decided, session } = await begin('allow_decided');
    const going_on = await read();
    expect(going_on.ok).toBe(true);
    for (const envelope of [await read(CONTRACTS), await bench.status(), await bench.restart()])
      expect([envelope.ok, envelope.error]).toEqual([false, expect.objectContaining(AWAY)]);
    // A lease that is taken back takes its decisions along.
    bench.spine.connect('session').publish(subjectOf('lease_revoked'), {
      lease_id: session.session_id,
      target_id: 'hub:h1',
      epoch: 1,
    });
    expect((await read()).error?.code).toBe('lease_revoked');
    await bench.spine.startPolicy();
    await bench.pass(600);
    const [event, before] = [await bench.eventOf(going_on), await bench.eventOf(decided)];
    expect(event).toMatchObject({
      policy_decision: 'allow',
      decision_id: before.decision_id,
      determining_rules: ['grant.holds_capability', 'policy.down_reads'],
      policy_explanation: `Policy does not answer; ${before.decision_id} allowed the same before.`,
    });
    expect(before.determining_rules).toEqual(['grant.holds_capability']);
  }, 60_000);

  test('a decision of more than five minutes ago lets nothing go on', async () => {
    const { read } = await begin('allow_decided');
    expect((await read()).ok).toBe(true);
    await bench.pass(300_000);
    expect((await read()).error).toMatchObject(AWAY);
  }, 60_000);

  test('policies that change while it is away end what went on', async () => {
    const { read } = await begin('allow_decided');
    bench.spine.connect('policy').publish(subjectOf('policy_changed'), { revision: 'other', version: 9 });
    expect((await read()).error).toMatchObject(AWAY);
  }, 60_000);
});
