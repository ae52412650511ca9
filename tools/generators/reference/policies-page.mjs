import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, textOf } from './load.mjs';
import { code, page, table } from './markdown.mjs';

const DIR = 'deploy/policies/guard';

/** Rules of the guard policies as written: annotations, effect, condition. */
export function policyRules() {
  return readdirSync(join(ROOT, DIR))
    .filter((name) => name.endsWith('.cedar'))
    .sort()
    .flatMap((name) => {
      const text = textOf(`${DIR}/${name}`).replace(/^\s*\/\/.*$/gm, '');
      return text
        .split(/(?<=\};)\s*/)
        .filter((part) => part.trim())
        .map((part) => ruleOf(part, name));
    });
}

function ruleOf(part, file) {
  const annotation = (key) => new RegExp(`@${key}\\("([^"]*)"\\)`).exec(part)?.[1] ?? '';
  return {
    file,
    rule_id: annotation('id'),
    code: annotation('code'),
    rank: annotation('rank'),
    explain: annotation('explain'),
    needs: annotation('needs'),
    effect: /^(permit|forbid)/m.exec(part)?.[1] ?? '',
    condition: (/when\s*\{([\s\S]*)\};/.exec(part)?.[1] ?? '').replace(/\s+/g, ' ').trim(),
  };
}

export function policiesPage() {
  const rules = policyRules();
  const forbids = rules.filter((rule) => rule.effect === 'forbid').sort((a, b) => a.rank - b.rank);
  const permits = rules.filter((rule) => rule.effect === 'permit');
  const when = (list) =>
    list.map((rule) => [`### ${code(rule.rule_id)}`, ['```cedar', rule.condition, '```'].join('\n')]);
  return page(
    'Policy rules',
    'deploy/policies/guard/*.cedar',
    'Nothing is allowed unless a `permit` says so, and any `forbid` outranks every `permit`. Of several rules that forbid, the one with the lowest rank speaks: its code and sentence go to the caller, its id into `determining_rules` of the event. If no rule speaks at all the event names `default.deny` and the code is `forbidden`. Two names come from no rule: `engine.…` when policy could not decide, and `policy.down_reads` when it was away and the zone lets decided reads go on.',
    '## What allows',
    table(
      ['Rule', 'File'],
      permits.map((rule) => [code(rule.rule_id), code(rule.file)]),
    ),
    '## What forbids',
    table(
      ['Rank', 'Rule', 'Code', 'The caller reads', 'File'],
      forbids.map((rule) => [
        rule.rank,
        code(rule.rule_id),
        code(rule.code),
        rule.needs ? `${rule.explain} Needs ${rule.needs}.` : rule.explain,
        code(rule.file),
      ]),
    ),
    'A rule with the code `approval_required` is answered as `require_approval`, not as a denial. `{environments}`, `{capability}`, `{who}` and `{tool}` are filled from the contract of the tool that was called.',
    'A zone adds rules of its own, with ranks from 100: [Write a policy](../guides/write-a-policy.md). They come after these, and none of them allows what these refuse.',
    '## Conditions',
    when([...permits, ...forbids]),
    'The facts a condition may read are in `deploy/policies/schema.cedarschema`. Cases with their expected rule are data: `apps/policy/src/cases.yaml`.',
  );
}
