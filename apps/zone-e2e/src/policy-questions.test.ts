import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { subjectOf, type ExecReply, type ExecRequest } from '@adaos/contracts';
import { NO_RESTART, startPolicyBench, type PolicyBench } from './policy-bench.js';
import { succeeded } from './spine.js';

/** What operators can ask of policies: who gains or loses what, does it do what we meant, why was it so, what would have been. */
describe('questions to the policies', () => {
  let bench: PolicyBench;
  beforeAll(async () => (bench = await startPolicyBench()), 60_000);
  afterAll(() => bench.stop(), 30_000);
  afterEach(async () => {
    bench.hubAnswers(() => succeeded());
    await bench.put('');
  });

  test('a comparison tells who loses what', async () => {
    const { groups, compared, complete, faults } = await bench.ask('zone.diff_policies', {
      text: NO_RESTART,
    });
    expect([complete, faults]).toEqual([true, []]);
    expect(compared).toBeGreaterThan(500);
    const lost = groups.filter((group: any) => group.change === 'loses');
    expect(lost.map((group: any) => group.who).sort()).toEqual([
      'profile:InfraOpsControl',
      'role:admin',
      'role:operator',
    ]);
    expect(lost[0]).toMatchObject({
      before: 'allow',
      after: 'deny: forbidden',
      rules: ['zone.quiet_hours'],
      tools: ['hub.restart_service'],
      side_effects: ['reversible_write'],
      environments: ['test'],
      skill_states: ['enabled'],
      dry_run: 'both',
      variants: [],
    });
    expect(groups.every((group: any) => group.change === 'loses')).toBe(true);
    const back = await bench.ask('zone.diff_policies', { from: 'in_force', to: 'none' });
    expect(back['changed']).toBe(0);
  });

  test('a rule about one target shows in the comparison, though the sample target is another', async () => {
    const text = NO_RESTART.replace(
      'context.target.environment == "test"',
      'context.target.target_id == "hub:lab-7"',
    );
    const { groups } = await bench.ask('zone.diff_policies', { text });
    expect(groups[0]).toMatchObject({ change: 'loses', variants: ['target.target_id=hub:lab-7'] });
  });

  test('a table of cases runs on a proposed text; broken cases are told', async () => {
    const cases = `
- name: frozen
  tool: hub.restart_service
  profile: InfraOpsControl
  expect: { decision: deny, code: forbidden, rules: [zone.quiet_hours] }
- name: wrong on purpose
  tool: hub.get_status
  expect: { decision: deny }
- name: no such fact
  tool: hub.get_status
  target: { enviroment: test }
  expect: { decision: allow }
`;
    const { passed, failed, results } = await bench.ask('zone.test_policies', { cases, text: NO_RESTART });
    expect([passed, failed]).toEqual([1, 2]);
    expect(results[1].differs).toEqual(['decision: expected deny, got allow']);
    expect(results[2].fault).toBe('There is no fact target.enviroment.');
    const broken = await bench.ask('zone.test_policies', { cases, text: 'permit (' });
    expect(broken['faults']).toEqual([expect.objectContaining({ file: 'proposed', line: 1 })]);
    const bomb = await bench.spine.operator('zone.test_policies', { cases: 'a: &a [1]\nb: [*a, *a]' });
    expect(bomb.error?.code).toBe('invalid_argument');
  });

  test('a recorded decision is explained by event or decision id, and by what is in force now', async () => {
    await bench.put(NO_RESTART);
    const refused = await bench.restart();
    const { decision_id } = await bench.eventOf(refused);
    for (const by of [{ event_id: refused.audit_event_id }, { decision_id }]) {
      const told = await bench.ask('zone.explain_decision', by);
      expect(told['recorded']).toMatchObject({
        decision: 'deny',
        rules: ['zone.quiet_hours'],
        tool_id: 'hub.restart_service',
      });
      expect(told['recorded'].facts.target.environment).toBe('test');
      expect(told['now'].looked_at).toEqual([
        {
          rule_id: 'zone.quiet_hours',
          facts: ['tool.tool_id is "hub.restart_service"', 'target.environment is "test"'],
        },
      ]);
      expect(told['differs']).toBe(false);
    }
    await bench.put('');
    const later = await bench.ask('zone.explain_decision', { decision_id });
    expect([later['differs'], later['now'].decision]).toEqual([true, 'allow']);
    const by_facts = await bench.ask('zone.explain_decision', {
      facts: JSON.stringify(later['recorded'].facts),
    });
    expect(by_facts['now'].decision).toBe('allow');
    expect(
      (await bench.spine.operator('zone.explain_decision', { decision_id: 'dec_none' })).error?.code,
    ).toBe('target_not_found');
  });

  test('recorded calls are decided again by a proposed text', async () => {
    await bench.pass(10);
    const since = new Date(bench.spine.clock.now()).toISOString();
    const done = [await bench.restart(), await bench.restart(), await bench.status()];
    await bench.eventOf(done[2]!);
    const { replayed, not_replayable, changed, groups, complete } = await bench.ask('zone.replay_decisions', {
      since,
      text: NO_RESTART,
    });
    expect([complete, not_replayable, changed]).toEqual([true, 0, 2]);
    expect(replayed).toBeGreaterThanOrEqual(3);
    expect(groups).toEqual([
      {
        change: 'loses',
        tool_id: 'hub.restart_service',
        target_id: 'hub:h1',
        profile: 'InfraOpsControl',
        before: 'allow',
        after: 'deny: forbidden',
        rules: ['zone.quiet_hours'],
        calls: 2,
        actors: [(await bench.eventOf(done[0]!)).actor],
        event_ids: expect.arrayContaining([done[0]!.audit_event_id, done[1]!.audit_event_id]),
      },
    ]);
    const bounded = await bench.ask('zone.replay_decisions', { since, text: NO_RESTART, limit: 1 });
    expect([bounded['complete'], bounded['replayed']]).toEqual([false, 1]);
  });

  test('an operator of one subnet explains and replays its own, and sets no rules for the others', async () => {
    const refused = await bench.status();
    const since = '2026-01-01T00:00:00.000Z';
    const as = (subnet_id: string | null, tool_id: string, args: Record<string, unknown>) =>
      bench.spine.connect('router').request<ExecReply>(
        subjectOf('policy_exec'),
        {
          event_id: 'evt_x',
          request_id: 'r',
          trace_id: 'a'.repeat(32),
          lease_id: 'opr_x',
          actor: 'operator:Ann',
          tool_id,
          target_id: null,
          subnet_id: null,
          arguments: args,
          arguments_digest: '',
          dry_run: false,
          grant: { subnet_id },
        } satisfies ExecRequest,
        { timeout_ms: 30_000 },
      );
    const explain = { event_id: refused.audit_event_id };
    expect((await as('s1', 'zone.explain_decision', explain)).status).toBe('succeeded');
    expect((await as('s2', 'zone.explain_decision', explain)).error?.code).toBe('target_not_found');
    const replayed = async (subnet_id: string) =>
      (await as(subnet_id, 'zone.replay_decisions', { since, text: '' })).result?.['replayed'];
    expect(await replayed('s1')).toBeGreaterThan(0);
    expect(await replayed('s2')).toBe(0);
    for (const [tool, args] of [
      ['zone.put_policies', { text: '' }],
      ['zone.rollback_policies', { version_id: 'pol_x' }],
    ] as const)
      expect((await as('s1', tool, args)).error?.code).toBe('forbidden');
  });
});
