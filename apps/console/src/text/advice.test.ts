import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ERRORS } from '@adaos/contracts';
import { ADVICE, adviceFor, ownAdviceFor, RULE_ADVICE } from './advice.js';

const guard = new URL('../../../../deploy/policies/guard/', import.meta.url);
const router = new URL('../../../router/src/draft.ts', import.meta.url);

describe('advice', () => {
  test('covers every code of the error table and no other', () => {
    expect(Object.keys(ADVICE).sort()).toEqual(Object.keys(ERRORS).sort());
  });

  test('says why and what to do, in sentences', () => {
    for (const [code, { why, act }] of Object.entries({ ...ADVICE, ...RULE_ADVICE })) {
      expect([code, why.length > 20 && why.endsWith('.'), act.length > 15 && act.endsWith('.')]).toEqual([
        code,
        true,
        true,
      ]);
    }
  });

  test('every rule it speaks of is one that can decide', () => {
    const policies = readdirSync(guard).map((file) => readFileSync(new URL(file, guard), 'utf8'));
    const text = [...policies, readFileSync(router, 'utf8')].join('\n');
    expect(Object.keys(RULE_ADVICE).filter((rule) => !new RegExp(`['"]${rule}['"]`).test(text))).toEqual([]);
  });

  test('the console is told of its own role, not of a lease', () => {
    expect(ownAdviceFor('tool_not_found')).toMatch(/your token/);
    expect(ownAdviceFor('skill_disabled')).toBe(ADVICE.skill_disabled.act);
    expect([ownAdviceFor('unreachable'), ownAdviceFor('constructor')]).toEqual(['', '']);
  });

  test('a rule outranks the code; an unknown code has an answer too', () => {
    expect(adviceFor('forbidden', ['surface.service_not_allowed']).why).toMatch(/allowlist/);
    expect(adviceFor('forbidden', ['default.deny'])).toBe(ADVICE.forbidden);
    for (const code of ['a_code_of_tomorrow', '__proto__', 'constructor'])
      expect(adviceFor(code, ['toString']).why).toMatch(/does not know/);
  });
});
