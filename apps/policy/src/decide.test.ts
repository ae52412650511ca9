import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { TOOL_CONTRACTS, toolOf, toolsFor, type PolicyFacts } from '@adaos/contracts';
import { parse } from 'yaml';
import { createDecider } from './decide.js';
import { loadPolicySet, PolicyLoadError } from './policy-set.js';
import { mkdtempSync, mkdirSync, writeFileSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Case {
  name: string;
  tool: string;
  grant?: Partial<PolicyFacts['grant']>;
  target?: Partial<NonNullable<PolicyFacts['target']>>;
  call?: Partial<PolicyFacts['call']>;
  approval?: string;
  no_target?: boolean;
  expect: { decision: string; code?: string; rules: string[] };
}

const dir = new URL('../../../deploy/policies', import.meta.url).pathname;
const cases = parse(readFileSync(new URL('./cases.yaml', import.meta.url), 'utf8')) as Case[];
const everything = [...new Set(TOOL_CONTRACTS.map((c) => c.required_capability))];

function factsFor(one: Case): PolicyFacts {
  const {
    tool_id,
    plane_id,
    served_by,
    side_effect_class,
    routing_class,
    required_capability,
    allowed_environments,
    approval,
    dry_run,
  } = toolOf(one.tool).contract;
  return {
    grant: {
      grant_id: 'lse_1',
      auth_method: 'mcp_session_lease',
      role: '',
      zone: 'local',
      subnet_id: 'subnet-a',
      target_id: 'hub:demo',
      capability_profile: 'InfraOpsControl',
      capabilities: everything,
      allowed_tools: toolsFor(everything),
      ...one.grant,
    },
    tool: {
      tool_id,
      plane_id,
      served_by,
      side_effect_class,
      routing_class,
      required_capability,
      allowed_environments,
      approval: one.approval ?? approval,
      dry_run,
    },
    target: one.no_target
      ? null
      : {
          target_id: 'hub:demo',
          zone: 'local',
          subnet_id: 'subnet-a',
          environment: 'test',
          status: 'online',
          reported: true,
          skill_state: 'enabled',
          published: everything,
          write_scope: 'test-only',
          allowed_services: ['web'],
          approval: 'none',
          version: 1,
          ...one.target,
        },
    call: { dry_run: false, zone: '', subnet_id: '', service: '', approved: false, ...one.call },
  };
}

describe('guard policies', () => {
  const decide = createDecider(loadPolicySet(dir), { memo_size: 100 });

  test.each(cases)('$name', (one) => {
    const verdict = decide(factsFor(one));
    expect({
      decision: verdict.decision,
      code: verdict.code ?? undefined,
      rules: verdict.determining_rules,
    }).toEqual({
      code: undefined,
      ...one.expect,
    });
  });

  test('facts outside the schema deny, whatever they say', () => {
    const facts = factsFor(cases[0]!);
    const odd = { ...facts, call: { ...facts.call, dry_run: 'no' } } as unknown as PolicyFacts;
    expect(decide(odd)).toMatchObject({ decision: 'deny', code: 'internal' });
  });

  test('every rule that can speak has a case', () => {
    const spoken = new Set(cases.flatMap((c) => c.expect.rules));
    expect([...loadPolicySet(dir).rules.keys()].filter((id) => !spoken.has(id))).toEqual([]);
  });
});

describe('loading', () => {
  const withPolicy = (text: string) => {
    const copy = mkdtempSync(join(tmpdir(), 'policies-'));
    cpSync(dir, copy, { recursive: true });
    mkdirSync(join(copy, 'guard'), { recursive: true });
    writeFileSync(join(copy, 'guard', '90-extra.cedar'), text);
    return copy;
  };
  const head = 'forbid (principal is Adaos::Grant, action == Adaos::Action::"call", resource is Adaos::Tool)';

  test.each([
    ['a policy that does not parse', 'permit (', /90-extra/],
    [
      'an attribute that the schema lacks',
      `@id("x") @code("forbidden") @rank("1") @explain("x") ${head} when { resource.nonsense == 1 };`,
      /nonsense/,
    ],
    ['a forbid without a code', `@id("x") @rank("1") @explain("x") ${head};`, /needs @code/],
    ['an unknown code', `@id("x") @code("nope") @rank("1") @explain("x") ${head};`, /unknown code nope/],
    ['a policy without an id', `${head};`, /no @id/],
    [
      'an id that stands twice',
      `@id("surface.offline") @code("forbidden") @rank("1") @explain("x") ${head};`,
      /stands twice/,
    ],
  ])('%s is refused by name', (_name, text, reason) => {
    expect(() => loadPolicySet(withPolicy(text))).toThrow(reason);
  });

  test('a missing directory is refused', () => {
    expect(() => loadPolicySet('/nonexistent')).toThrow(PolicyLoadError);
  });

  test('any byte of a policy changes the revision', () => {
    expect(loadPolicySet(withPolicy('// a comment\n')).revision).not.toBe(loadPolicySet(dir).revision);
  });
});
