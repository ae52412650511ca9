import { afterAll, describe, expect, test } from '@jest/globals';
import { ENVIRONMENTS, isWrite, SIDE_EFFECTS, TOOL_CONTRACTS, type PolicyFacts } from '@adaos/contracts';
import fc from 'fast-check';
import { compilePolicySet, type PolicySet } from './compile.js';
import { createDecider, memoKey } from './decide.js';
import { readGuards } from './policy-dir.js';
import { EVERYTHING, sampleFacts } from './sample-facts.js';

const GUARDS = readGuards(new URL('../../../deploy/policies', import.meta.url).pathname);
const guards = compilePolicySet({ ...GUARDS, zone: [] });
const decide = createDecider(guards, { memo_size: 0 });
afterAll(() => guards.release());

const NAMES = [
  '',
  'local',
  'elsewhere',
  'subnet-a',
  'subnet-b',
  'hub:demo',
  'hub:other',
  'none',
  'test-only',
  'any',
  'x',
];
const word = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...NAMES) }, fc.string({ maxLength: 12 }));
const some = fc.subarray([...EVERYTHING]);

const tools = TOOL_CONTRACTS.map((one) => one.tool_id);
const served = TOOL_CONTRACTS.filter((one) => one.served_by === 'hub');
const onHubs = served.map((one) => one.tool_id);
const writesOnHubs = served.filter(isWrite).map((one) => one.tool_id);
const ANYTHING: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  grant: {
    role: fc.constantFrom('', 'viewer', 'operator', 'admin'),
    zone: word,
    subnet_id: word,
    target_id: word,
    capability_profile: word,
    capabilities: some,
    allowed_tools: fc.subarray(tools),
  },
  tool: {
    side_effect_class: fc.oneof(fc.constantFrom(...SIDE_EFFECTS), word),
    allowed_environments: fc.subarray([...ENVIRONMENTS]),
    approval: word,
    dry_run: word,
  },
  target: {
    target_id: word,
    zone: word,
    subnet_id: word,
    environment: fc.oneof(fc.constantFrom(...ENVIRONMENTS), word),
    status: fc.oneof(fc.constantFrom('online', 'offline', 'degraded'), word),
    reported: fc.boolean(),
    skill_state: fc.oneof(fc.constantFrom('enabled', 'disabled', 'missing'), word),
    published: some,
    write_scope: word,
    allowed_services: fc.array(word, { maxLength: 3 }),
    approval: fc.oneof(fc.constantFrom('none', 'writes'), word),
  },
  call: { dry_run: fc.boolean(), zone: word, subnet_id: word, service: word, approved: fc.boolean() },
};
/** One fact changed. Few at a time: where everything differs, everything is refused for the first reason there is. */
const edit = fc
  .constantFrom(
    ...Object.entries(ANYTHING).flatMap(([part, of]) => Object.keys(of).map((name) => [part, name] as const)),
  )
  .chain(([part, name]) => ANYTHING[part]![name]!.map((value) => ({ part, name, value })));

/** Facts of any tool, near to a call that nothing stands against. */
const facts = fc
  .record({
    // Most of them the tools with most rules: those of hubs, and of these the writes.
    tool_id: fc.oneof(
      fc.constantFrom(...tools),
      fc.constantFrom(...onHubs),
      fc.constantFrom(...writesOnHubs),
    ),
    edits: fc.array(edit, { maxLength: 4 }),
    no_target: fc.nat(19),
  })
  .map(({ tool_id, edits, no_target }) => {
    const base = sampleFacts(tool_id);
    const parts: Record<string, Record<string, unknown> | null> = {
      grant: { ...base.grant },
      tool: { ...base.tool },
      target: base.target && no_target > 0 ? { ...base.target } : null,
      call: { ...base.call },
    };
    for (const { part, name, value } of edits) if (parts[part]) parts[part]![name] = value;
    return parts as unknown as PolicyFacts;
  });

const HEAD = '(principal is Adaos::Grant, action == Adaos::Action::"call", resource is Adaos::Tool)';
const CONDITIONS = [
  'true',
  'resource.side_effect_class == "none"',
  'resource.tool_id like "hub.*"',
  'principal.role == "admin"',
  'principal.capability_profile == "InfraOpsControl"',
  'context has target && context.target.environment == "test"',
  'context has target && context.target.published.contains(resource.required_capability)',
  'context.call.dry_run',
  'principal.allowed_tools.contains(resource.tool_id)',
];
const condition = fc
  .tuple(
    fc.constantFrom(...CONDITIONS),
    fc.constantFrom('&&', '||'),
    fc.constantFrom(...CONDITIONS),
    fc.boolean(),
  )
  .map(([a, operator, b, not]) => (not ? `!((${a}) ${operator} (${b}))` : `(${a}) ${operator} (${b})`));
const rule = fc
  .tuple(fc.constantFrom('permit', 'forbid'), condition)
  .map(([effect, when]) => ({ effect, when }));
const text = (rules: { effect: string; when: string }[]) =>
  rules
    .map(({ effect, when }, n) =>
      effect === 'permit'
        ? `@id("zone.r${n}") @obligation("redact=email") permit ${HEAD} when { ${when} };`
        : `@id("zone.r${n}") @code("forbidden") @rank("100") @explain("x") forbid ${HEAD} when { ${when} };`,
    )
    .join('\n');

describe('whatever the facts', () => {
  test('a capability or tool that is not held is never allowed', () => {
    fc.assert(
      fc.property(facts, (one) => {
        const holds =
          one.grant.capabilities.includes(one.tool.required_capability) &&
          one.grant.allowed_tools.includes(one.tool.tool_id);
        return holds || decide(one).decision !== 'allow';
      }),
      { numRuns: 1_500 },
    );
  });

  test('another zone, subnet or target than the credential’s is always denied', () => {
    fc.assert(
      fc.property(facts, ({ grant, tool, target, call }) => {
        const foreign =
          (call.zone !== '' && call.zone !== grant.zone) ||
          (call.subnet_id !== '' && grant.subnet_id !== '' && call.subnet_id !== grant.subnet_id) ||
          (target !== null &&
            (target.zone !== grant.zone ||
              (grant.subnet_id !== '' && target.subnet_id !== grant.subnet_id) ||
              (grant.target_id !== '' && target.target_id !== grant.target_id)));
        return !foreign || decide({ grant, tool, target, call }).decision === 'deny';
      }),
      { numRuns: 1_500 },
    );
  });

  test('a hub is reached only by a target that is test enough, enabled, reporting and publishing', () => {
    fc.assert(
      fc.property(facts, (one) => {
        if (one.tool.served_by !== 'hub' || decide(one).decision !== 'allow') return true;
        const { target, tool } = one;
        const writes = tool.side_effect_class.endsWith('_write');
        return (
          target !== null &&
          target.skill_state === 'enabled' &&
          target.reported &&
          target.status !== 'offline' &&
          target.published.includes(tool.required_capability) &&
          tool.allowed_environments.includes(target.environment) &&
          (!writes ||
            target.write_scope === 'any' ||
            (target.write_scope === 'test-only' && target.environment === 'test')) &&
          (!writes || one.call.dry_run || one.call.approved || target.approval === 'none')
        );
      }),
      { numRuns: 1_500 },
    );
  });

  test('a fact that is missing, or of another kind, denies', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TOOL_CONTRACTS.map((one) => one.tool_id)),
        fc.constantFrom('grant', 'tool', 'target', 'call'),
        fc.nat(),
        fc.constantFrom(undefined, null, 7, {}),
        (tool_id, part, n, value) => {
          const whole = sampleFacts(tool_id);
          const members = Object.keys(whole[part as keyof PolicyFacts] ?? {}).filter(
            (name) => name !== 'grant_id',
          );
          const name = members[n % Math.max(1, members.length)];
          if (name === undefined || (name === 'version' && value === 7)) return true;
          const broken = { ...whole, [part]: { ...whole[part as keyof PolicyFacts], [name]: value } };
          return decide(broken as unknown as PolicyFacts).decision === 'deny';
        },
      ),
      { numRuns: 600 },
    );
  });
});

describe('whatever the zone writes', () => {
  const samples = TOOL_CONTRACTS.flatMap(({ tool_id }) =>
    (['InfraOpsRead', 'InfraOpsControl', 'SdkRead', 'LeaseAdmin'] as const).map((profile) =>
      sampleFacts(tool_id, { profile }),
    ),
  );

  test('it never allows what the guards alone refuse', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 6 }),
        fc.array(facts, { maxLength: 12 }),
        (rules, more) => {
          const set = tried(text(rules));
          if (!set) return true;
          try {
            const with_zone = createDecider(set, { memo_size: 0 });
            return [...fc.sample(fc.constantFrom(...samples), 12), ...more].every(
              (one) => with_zone(one).decision !== 'allow' || decide(one).decision === 'allow',
            );
          } finally {
            set.release();
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a permit that slipped past every check still grants nothing', () => {
    const set = compilePolicySet({
      ...GUARDS,
      zone: [
        {
          name: 'z',
          text: '@id("zone.all") @obligation("redact=email") permit (principal, action, resource);',
        },
      ],
    });
    const with_zone = createDecider(set, { memo_size: 0 });
    const denied = samples.filter((one) => decide(one).decision !== 'allow');
    expect(denied.length).toBeGreaterThan(50);
    expect(denied.filter((one) => with_zone(one).decision === 'allow')).toEqual([]);
    set.release();
  });

  /** Conditions that can never hold are refused at load: then there is nothing to hold against the guards. */
  function tried(zone: string): PolicySet | null {
    try {
      return compilePolicySet({ ...GUARDS, zone: [{ name: 'z', text: zone }] });
    } catch {
      return null;
    }
  }
});

describe('what a verdict is remembered by', () => {
  test('facts that differ anywhere but in the credential’s id have keys of their own; the order of members does not matter', () => {
    fc.assert(
      fc.property(facts, facts, (a, b) => {
        const bare = ({ grant: { grant_id: _, ...grant }, ...rest }: PolicyFacts) => ({ ...rest, grant });
        const equal = JSON.stringify(sorted(bare(a))) === JSON.stringify(sorted(bare(b)));
        return (memoKey(a) === memoKey(b)) === equal && memoKey(sorted(a) as PolicyFacts) === memoKey(a);
      }),
      { numRuns: 500 },
    );
  });

  test('any one changed fact changes the key, the credential’s id does not', () => {
    const whole = sampleFacts('hub.restart_service');
    const key = memoKey(whole);
    for (const part of ['grant', 'tool', 'target', 'call'] as const)
      for (const [name, value] of Object.entries(whole[part]!)) {
        const other = {
          ...whole,
          [part]: { ...whole[part], [name]: Array.isArray(value) ? [...value, 'x'] : `${value}x` },
        };
        expect([name, memoKey(other as PolicyFacts) === key]).toEqual([name, name === 'grant_id']);
      }
  });

  const sorted = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, member]) => [name, sorted(member)]),
        )
      : value;
});
