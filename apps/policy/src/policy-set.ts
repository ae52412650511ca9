import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import cedar from '@cedar-policy/cedar-wasm/nodejs';
import { ERRORS, sha256, type ErrorCode } from '@adaos/contracts';

/** What a `forbid` means to the caller, read from its annotations. */
export interface Rule {
  readonly rule_id: string;
  readonly effect: 'permit' | 'forbid';
  readonly code: ErrorCode;
  /** Of several rules that forbid, the lowest rank speaks. */
  readonly rank: number;
  readonly explain: string;
}

/** Policies parsed and validated once; `revision` changes when any byte of them does. */
export interface PolicySet {
  readonly set_id: string;
  readonly schema_id: string;
  readonly revision: string;
  readonly rules: ReadonlyMap<string, Rule>;
}

/** A policy that does not parse, does not fit the schema or forbids without a code stops the load: last good stays (D6). */
export class PolicyLoadError extends Error {
  override readonly name = 'PolicyLoadError';
}

/** Loads `schema.cedarschema` and `guard/*.cedar` of a directory. Throws PolicyLoadError naming file and fault. */
export function loadPolicySet(dir: string): PolicySet {
  const schema = readText(join(dir, 'schema.cedarschema'));
  const texts = listPolicies(dir).map((file) => ({ file, text: readText(file) }));
  if (texts.length === 0) throw new PolicyLoadError(`no guard policies in ${dir}`);
  const rules = new Map<string, Rule>();
  const policies: Record<string, string> = {};
  for (const { file, text } of texts) {
    const parts = cedar.policySetTextToParts(text);
    if (parts.type === 'failure') throw new PolicyLoadError(`${file}: ${messages(parts.errors)}`);
    for (const part of parts.policies) {
      const rule = ruleOf(part, file);
      if (rules.has(rule.rule_id)) throw new PolicyLoadError(`${file}: rule ${rule.rule_id} stands twice`);
      rules.set(rule.rule_id, rule);
      policies[rule.rule_id] = part;
    }
  }
  const check = cedar.validate({
    validationSettings: { mode: 'strict' },
    schema,
    policies: { staticPolicies: policies },
  });
  if (check.type === 'failure') throw new PolicyLoadError(messages(check.errors));
  if (check.validationErrors.length) {
    throw new PolicyLoadError(
      check.validationErrors.map((e) => `${e.policyId}: ${e.error.message}`).join('; '),
    );
  }
  const revision = sha256([schema, ...texts.map((t) => t.text)].join('\0')).slice(0, 12);
  const set_id = `guard-${revision}`;
  const parsed = cedar.preparsePolicySet(set_id, { staticPolicies: policies });
  if (parsed.type === 'failure') throw new PolicyLoadError(messages(parsed.errors));
  const preparsed = cedar.preparseSchema(set_id, schema);
  if (preparsed.type === 'failure') throw new PolicyLoadError(messages(preparsed.errors));
  return { set_id, schema_id: set_id, revision, rules };
}

function ruleOf(text: string, file: string): Rule {
  const answer = cedar.policyToJson(text);
  if (answer.type === 'failure') throw new PolicyLoadError(`${file}: ${messages(answer.errors)}`);
  const { effect, annotations = {} } = answer.json;
  const rule_id = annotations['id'];
  if (!rule_id) throw new PolicyLoadError(`${file}: a policy has no @id`);
  const code = annotations['code'] ?? 'forbidden';
  if (
    effect === 'forbid' &&
    !(annotations['code'] && annotations['explain'] && /^\d+$/.test(annotations['rank'] ?? ''))
  ) {
    throw new PolicyLoadError(`${file}: rule ${rule_id} needs @code, @rank and @explain`);
  }
  if (!Object.hasOwn(ERRORS, code))
    throw new PolicyLoadError(`${file}: rule ${rule_id} names the unknown code ${code}`);
  return {
    rule_id,
    effect,
    code: code as ErrorCode,
    rank: Number(annotations['rank'] ?? 0),
    explain: annotations['explain'] ?? '',
  };
}

const listPolicies = (dir: string) => {
  try {
    const guard = join(dir, 'guard');
    return readdirSync(guard)
      .filter((name) => name.endsWith('.cedar'))
      .sort()
      .map((name) => join(guard, name));
  } catch {
    throw new PolicyLoadError(`no policy directory ${dir}`);
  }
};

const readText = (file: string) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new PolicyLoadError(`can not read ${file}`);
  }
};

const messages = (errors: { message: string }[]) => errors.map((e) => e.message).join('; ');
