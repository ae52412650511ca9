import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { StoredEvent } from '@adaos/contracts';
import { until } from '@adaos/testing';
import { HEAD, NO_RESTART, startPolicyBench, type PolicyBench } from './policy-bench.js';
import { succeeded } from './spine.js';

const TIED = `@id("zone.small_and_masked") @obligation("max_result_bytes=200 rate_per_minute=3 redact=email,ip_address")
permit ${HEAD} when { principal.capability_profile == "InfraOpsControl" };`;

/** Policies of a zone: what is put in force and what it changes for callers. */
describe('policies of the zone', () => {
  let bench: PolicyBench;
  beforeAll(async () => (bench = await startPolicyBench()), 60_000);
  afterAll(() => bench.stop(), 30_000);
  afterEach(async () => {
    bench.hubAnswers(() => succeeded());
    await bench.put('');
  });

  test('a policy is in force for the next call, and out of force after a rollback', async () => {
    const empty = await bench.put('', { note: 'nothing of our own' });
    expect((await bench.restart()).status).toBe('succeeded');
    const version = (await bench.put(NO_RESTART, { note: 'freeze' }))['version'];
    expect((await bench.restart()).error).toMatchObject({
      code: 'forbidden',
      message: 'No service of the lab is restarted this week. Needs the end of the freeze.',
    });
    expect((await bench.status()).status).toBe('succeeded');
    const shown = await bench.ask('zone.get_policies', { limit: 2 });
    expect(shown['active']).toEqual(version);
    expect(shown['versions'].map((one: any) => one.note)).toEqual(['freeze', 'nothing of our own']);
    expect(shown['files'].at(-1)).toEqual({
      name: version.version_id,
      origin: 'zone_version',
      text: NO_RESTART,
    });
    expect(shown['rules'].filter((rule: any) => rule.origin === 'zone')).toEqual([
      expect.objectContaining({ rule_id: 'zone.quiet_hours', line: 1, rank: 100, code: 'forbidden' }),
    ]);
    const back = await bench.ask('zone.rollback_policies', { version_id: empty['version'].version_id });
    expect(back['version']).toMatchObject({
      restores: empty['version'].version_id,
      author: 'operator:bootstrap',
    });
    expect((await bench.restart()).status).toBe('succeeded');
  });

  test('a remembered read is decided anew once the policies change', async () => {
    expect((await bench.status()).status).toBe('succeeded');
    await bench.put(NO_RESTART.replace('hub.restart_service', 'hub.get_status'));
    expect((await bench.status()).error?.code).toBe('forbidden');
  });

  test('a text with faults changes nothing, and each is named by line', async () => {
    await bench.put(NO_RESTART);
    const { error } = await bench.spine.operator('zone.put_policies', {
      text: `${NO_RESTART}\n\n@id("zone.b") @code("nope") @rank("5") @explain("x")\nforbid ${HEAD}\nwhen { resource.nonsense == 1 };`,
    });
    expect(error?.code).toBe('invalid_argument');
    expect(error?.message).toContain('nothing was changed');
    const faults = error?.details?.['faults'] as { line: number; rule_id: string; file: string }[];
    expect(faults.map(({ line, rule_id, file }) => [file, line, rule_id])).toEqual([
      ['text', 6, 'zone.b'],
      ['text', 6, 'zone.b'],
    ]);
    expect((await bench.restart()).error?.code).toBe('forbidden');
  });

  test('a permit of the zone opens nothing', async () => {
    await bench.put(
      `@id("zone.everything") @obligation("redact=email")\npermit (principal, action, resource);`,
    );
    expect(
      (await bench.spine.call(bench.reader, 'hub.restart_service', { service: 'web' })).error?.code,
    ).toBe('tool_not_found');
    const facts = (await bench.eventOf(await bench.status(bench.reader))).policy_facts as any;
    const denied = await bench.ask('zone.test_policies', {
      cases: JSON.stringify([
        {
          name: 'x',
          tool: 'hub.restart_service',
          profile: 'InfraOpsRead',
          expect: { decision: 'deny', rules: ['default.deny'] },
        },
      ]),
    });
    expect(denied).toMatchObject({ passed: 1, failed: 0 });
    expect(facts.grant.capability_profile).toBe('InfraOpsRead');
  });

  test('a policy can not lock out those who change it', async () => {
    await bench.put(
      `@id("zone.nobody") @code("forbidden") @rank("100") @explain("x") forbid (principal, action, resource);`,
    );
    expect((await bench.status()).error?.code).toBe('forbidden');
    expect((await bench.spine.operator('operations.list_managed_targets')).error?.code).toBe('forbidden');
    await bench.put('');
    expect((await bench.status()).status).toBe('succeeded');
  });

  test('obligations are enforced: masks, size of the result, rate', async () => {
    const answered = { note: 'ask ann@example.org on 10.1.2.3', list: ['fe80::1'] };
    bench.hubAnswers(() => succeeded(answered));
    await bench.put(TIED);
    const envelope = await bench.status();
    expect(envelope.result).toEqual({
      note: 'ask [redacted:email] on [redacted:ip_address]',
      list: ['[redacted:ip_address]'],
    });
    expect(envelope.redactions).toEqual([
      { rule: 'email', count: 1 },
      { rule: 'ip_address', count: 2 },
    ]);
    const event = await bench.eventOf(envelope);
    expect(event.obligations).toEqual([
      'max_result_bytes=200',
      'rate_per_minute=3',
      'redact=email,ip_address',
    ]);
    expect(event.determining_rules).toEqual(['grant.holds_capability', 'zone.small_and_masked']);
    // Another profile is not tied.
    expect((await bench.status(bench.reader)).result).toEqual(answered);
    bench.hubAnswers(() => succeeded({ text: 'x'.repeat(300) }));
    const big = await bench.status();
    expect([big.error?.code, big.error?.details, big.result]).toEqual([
      'result_too_large',
      { limit: 200 },
      undefined,
    ]);
    const write = await bench.restart();
    expect([write.status, write.error?.code, write.result]).toEqual([
      'denied',
      'result_too_large',
      undefined,
    ]);
    // What the write did stands, whatever its caller may read.
    expect((await bench.eventOf(write)).status).toBe('succeeded');
    await bench.status();
    expect((await bench.status()).error?.code).toBe('rate_limited');
  });

  test('the event tells an operator which policy and which fact; a lease reads none of it', async () => {
    await bench.put(NO_RESTART);
    const refused = await bench.restart();
    const event = await bench.eventOf(refused);
    const version = (await bench.ask('zone.get_policies'))['active'].version_id;
    expect(event.policy_explanation).toBe(
      `zone.quiet_hours (${version}:1): tool.tool_id is "hub.restart_service", target.environment is "test".`,
    );
    expect(JSON.stringify(refused)).not.toMatch(/quiet_hours|target\.environment/);
    const own = await bench.spine.call(bench.reader, 'operations.list_recent_events', {
      event_id: refused.audit_event_id!,
    });
    expect((own.result as { events: StoredEvent[] }).events[0]).toMatchObject({
      event_id: refused.audit_event_id,
      policy_explanation: null,
      policy_facts: null,
      facts_digest: null,
    });
  });

  test('what a lease does not list tells the operator what it would need', async () => {
    const refused = await bench.spine.call(bench.reader, 'hub.restart_service', { service: 'web' });
    expect(refused.error).toEqual({ code: 'tool_not_found', message: 'Unknown tool.' });
    expect((await bench.eventOf(refused)).policy_explanation).toBe(
      'grant.tool_not_listed: the credential has InfraOpsRead, which does not list hub.restart_service; it needs the profile InfraOpsControl on a test target.',
    );
  });

  test('files of the zone are in force beside its version, and read again when they change', async () => {
    const file = join(bench.dir, 'freeze.cedar');
    writeFileSync(file, NO_RESTART);
    const looked = async (code: string | undefined) => {
      await bench.pass(500);
      return (await bench.restart()).error?.code === code || undefined;
    };
    await until('the file to be in force', () => looked('forbidden'));
    writeFileSync(file, 'forbid (');
    await until('the fault to be known', async () => {
      await bench.pass(500);
      return (await bench.ask('zone.get_policies'))['problem']?.includes('freeze.cedar') || undefined;
    });
    // The last good file stays, and so it does when the folder is gone.
    expect((await bench.restart()).error?.code).toBe('forbidden');
    rmSync(file);
    await until('the file to be out of force', () => looked(undefined));
  });

  test('a version of another writer counts from the second that wrote it', async () => {
    const first = (await bench.put(''))['version'];
    await bench.put(NO_RESTART);
    const stale = await bench.spine.operator('zone.put_policies', {
      text: '',
      expected_version_id: first.version_id,
    });
    expect(stale.error?.code).toBe('conflict');
    expect((await bench.restart()).error?.code).toBe('forbidden');
  });

  test('a dry run says what would be in force and keeps the old', async () => {
    const before = (await bench.ask('zone.get_policies'))['active'];
    expect(await bench.put(NO_RESTART, { dry_run: true })).toMatchObject({
      dry_run: true,
      version: null,
      rules: ['zone.quiet_hours'],
    });
    expect((await bench.ask('zone.get_policies'))['active']).toEqual(before);
    expect((await bench.restart()).status).toBe('succeeded');
  });

  test('only an admin changes policies', async () => {
    for (const tool of ['zone.put_policies', 'zone.rollback_policies', 'zone.get_policies']) {
      const refused = await bench.spine.call(bench.bearer, tool, { text: '', version_id: 'pol_x' });
      expect(refused.error?.code).toBe('tool_not_found');
    }
  });

  test('a lost event leaves an old policy no longer than two seconds', async () => {
    expect((await bench.status()).status).toBe('succeeded');
    // Written behind every service's back: what another replica does whose event is lost.
    await bench.spine.store.sql`
      insert into policy_versions (version_id, zone, seq, author, note, text, digest)
      select 'pol_lost_' || max(seq), 'local', max(seq) + 1, 'x', '', ${NO_RESTART.replace('hub.restart_service', 'hub.get_status')}, 'x'
      from policy_versions where zone = 'local'`;
    const began = bench.spine.clock.now();
    await until('the new policy to count', async () => {
      const { error } = await bench.status();
      if (error) return true;
      await bench.pass(100);
      return undefined;
    });
    expect(bench.spine.clock.now() - began).toBeLessThanOrEqual(2_000);
  });
});
