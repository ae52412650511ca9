import { describe, expect, test } from '@jest/globals';
import { compilePolicySet, type PolicySources } from './compile.js';
import { PolicyLoadError } from './fault.js';
import { readGuards, readPolicyFiles } from './policy-dir.js';

const GUARDS = readGuards(new URL('../../../deploy/policies', import.meta.url).pathname);
const HEAD = 'forbid (principal is Adaos::Grant, action == Adaos::Action::"call", resource is Adaos::Tool)';
const PERMIT = HEAD.replace('forbid', 'permit');
const FORBID = '@id("zone.x") @code("forbidden") @rank("100") @explain("x")';

const withZone = (...texts: string[]): PolicySources => ({
  ...GUARDS,
  zone: texts.map((text, n) => ({ name: `z${n}.cedar`, text })),
});
function faultsOf(sources: PolicySources) {
  try {
    compilePolicySet(sources).release();
  } catch (error) {
    if (error instanceof PolicyLoadError) return error.faults;
    throw error;
  }
  return [];
}

describe('loading policies', () => {
  test('the guards load, and rules know where they stand', () => {
    const set = compilePolicySet(withZone());
    const { file, line, origin } = set.rules.get('tenancy.zone_header')!;
    expect([file, line, origin]).toEqual(['20-tenancy.cedar', 2, 'guard']);
    set.release();
  });

  test.each([
    ['an attribute that the schema lacks', `${FORBID} ${HEAD} when { resource.nonsense == 1 };`, /nonsense/],
    [
      'a comparison of unlike types',
      `${FORBID} ${HEAD} when { context.call.dry_run == "no" };`,
      /compatible/,
    ],
    [
      'an optional fact read without asking for it',
      `${FORBID} ${HEAD} when { context.target.reported };`,
      /target/,
    ],
    ['a condition that can never hold', `${FORBID} ${HEAD} when { false };`, /impossible|never|false/],
    [
      'a forbid without a code',
      `@id("zone.x") @rank("100") @explain("x") ${HEAD};`,
      /needs @code, @rank and @explain/,
    ],
    ['an unknown code', `${FORBID.replace('forbidden', 'nope')} ${HEAD};`, /unknown code nope/],
    [
      'a code that is the guards’',
      `${FORBID.replace('forbidden', 'unauthenticated')} ${HEAD};`,
      /may answer forbidden/,
    ],
    ['a rank among the guards', `${FORBID.replace('100', '5')} ${HEAD};`, /rank from 100 to 999/],
    ['a policy without an id', `${HEAD};`, /no @id/],
    ['an id outside of the zone’s', `${FORBID.replace('zone.x', 'mine')} ${HEAD};`, /starts with "zone\."/],
    [
      'an id that stands twice',
      `${FORBID} ${HEAD};\n${FORBID} ${HEAD};`,
      /stands twice, first in z0.cedar:1/,
    ],
    ['an unknown annotation', `${FORBID} @explian("y") ${HEAD};`, /unknown annotation @explian/],
    ['a placeholder that reaches the target', `${FORBID} @needs("{target}") ${HEAD};`, /\{target\}/],
    ['a permit that obliges nobody', `@id("zone.x") ${PERMIT};`, /gives nobody more/],
    [
      'an obligation nobody enforces',
      `@id("zone.x") @obligation("watermark=1") ${PERMIT};`,
      /no obligation "watermark"/,
    ],
    [
      'an obligation that is no number',
      `@id("zone.x") @obligation("rate_per_minute=0") ${PERMIT};`,
      /whole number/,
    ],
    [
      'a mask nobody has',
      `@id("zone.x") @obligation("redact=faces") ${PERMIT};`,
      /redact knows email, ip_address/,
    ],
    [
      'an obligation on a refusal',
      `${FORBID} @obligation("redact=email") ${HEAD};`,
      /nothing is left to oblige/,
    ],
    [
      'a credential named in the head',
      `${FORBID} ${HEAD.replace('is Adaos::Grant', '== Adaos::Grant::"lse_1"')};`,
      /names one credential/,
    ],
    [
      'a credential named in a condition',
      `${FORBID} ${HEAD} when { principal == Adaos::Grant::"lse_1" };`,
      /names one credential/,
    ],
    [
      'an approval that could never be given',
      `${FORBID.replace('forbidden', 'approval_required')} ${HEAD};`,
      /never looks at context.call.approved/,
    ],
    [
      'a template',
      `${FORBID} ${HEAD.replace('principal is Adaos::Grant', 'principal == ?principal')};`,
      /template/,
    ],
  ])('%s is refused', (_name, text, reason) => {
    const faults = faultsOf(withZone(text));
    expect(faults.map(({ message }) => message).join('\n')).toMatch(reason);
    expect(faults.some(({ file }) => file === 'z0.cedar')).toBe(true);
  });

  test('every fault is told, each by its line, whatever characters stand before it', () => {
    const text = [
      '// Überschrift – 日本',
      '@id("zone.a") @code("forbidden") @rank("100") @explain("é")',
      HEAD,
      'when {',
      '  "é" == principal.zone &&',
      '  resource.nonsense == 1',
      '};',
      '',
      `@id("zone.b") @code("nope") @rank("100") @explain("x") ${HEAD};`,
      `${FORBID} ${HEAD}`,
      'when { context.call.service == 3 };',
    ].join('\n');
    expect(faultsOf(withZone(text)).map(({ line, rule_id }) => [line, rule_id])).toEqual([
      [9, 'zone.b'],
      [6, 'zone.a'],
      [11, 'zone.x'],
    ]);
    const broken = 'permit (\n\nforbid (principal, action, resource) when { principal.x = };\n';
    expect(faultsOf(withZone(broken)).map(({ line }) => line)).toEqual([3]);
  });

  test('any byte of a policy changes the revision; where the text stands does not', () => {
    const revision = (...texts: string[]) => {
      const set = compilePolicySet(withZone(...texts));
      set.release();
      return set.revision;
    };
    const rule = `${FORBID} ${HEAD};`;
    expect(
      new Set([revision(), revision('// a'), revision('// b'), revision(rule), revision(`${rule} `)]).size,
    ).toBe(5);
    // Two files are not one file with both their texts.
    expect(revision('// a', '// b')).not.toBe(revision('// a// b'));
    expect(revision(rule)).toBe(revision(rule));
  });

  test('a set that was released decides nothing any more', () => {
    const set = compilePolicySet(withZone());
    set.release();
    expect(() => set.slot).toThrow('released');
  });

  test('a directory that is not there, or holds no guards, is refused', () => {
    expect(() => readGuards('/nonexistent')).toThrow(PolicyLoadError);
    expect(() => readPolicyFiles('/nonexistent')).toThrow('no policy directory');
    expect(() => compilePolicySet({ ...GUARDS, guards: [], zone: [] })).toThrow('no guard policies');
  });

  test('policies over the bounds are refused before they are read', () => {
    const rules = Array.from({ length: 501 }, (_, n) => `${FORBID.replace('zone.x', `zone.r${n}`)} ${HEAD};`);
    expect(faultsOf(withZone(rules.join('\n')))[0]?.message).toMatch(/over the 500 allowed/);
    expect(faultsOf(withZone(`//${'x'.repeat(600_000)}`))[0]?.message).toMatch(/over the 524288 allowed/);
  });
});
