import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  caseFacts,
  caseTable,
  compilePolicySet,
  createDecider,
  readGuards,
  runCases,
  sampleFacts,
} from '@adaos/policy-engine';
import type { PolicyFacts } from '@adaos/contracts';
import { parse } from 'yaml';

const dir = new URL('../../../deploy/policies', import.meta.url).pathname;
const cases = caseTable(parse(readFileSync(new URL('./cases.yaml', import.meta.url), 'utf8')));

describe('guard policies', () => {
  const set = compilePolicySet({ ...readGuards(dir), zone: [] });
  const decide = createDecider(set, { memo_size: 100 });

  test.each(cases)('$name', (one) => {
    expect(runCases(decide, [one])).toEqual([
      expect.objectContaining({ ok: true, differs: [], fault: null }),
    ]);
    const { code } = decide(caseFacts(one));
    // A case that names no code says that there is none.
    expect(code).toBe(one.expect.code ?? null);
  });

  test('facts outside the schema deny, whatever they say', () => {
    const facts = sampleFacts('hub.get_status');
    const odd = { ...facts, call: { ...facts.call, dry_run: 'no' } } as unknown as PolicyFacts;
    expect(decide(odd)).toMatchObject({ decision: 'deny', code: 'internal' });
  });

  test('every rule that can speak has a case', () => {
    const spoken = new Set(cases.flatMap((c) => c.expect.rules ?? []));
    expect([...set.rules.keys()].filter((id) => !spoken.has(id))).toEqual([]);
  });
});
