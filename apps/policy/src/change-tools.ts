import { OpError, sha256, type ExecRequest, type PolicyVersion } from '@adaos/contracts';
import { faultText, obligationsText, PolicyLoadError, type PolicySet, type Rule } from '@adaos/policy-engine';
import type { ExecTable } from '@adaos/runtime';
import type { PolicyVersionRow } from '@adaos/store';
import { noVersion } from './chosen-text.js';
import { subnetOf, type PolicyToolDeps } from './deps.js';

/** Characters of a fault's sentence that go to the caller beside the whole list. */
const MAX_SENTENCE = 500;

interface PutArgs {
  text: string;
  expected_version_id?: string;
  note?: string;
}

/** Tools that show and change the policies of the zone. */
export const changeTools = (deps: PolicyToolDeps): ExecTable => ({
  'zone.get_policies': (args: { version_id?: string; limit?: number }) => show(deps, args),

  'zone.put_policies': async (
    { text, expected_version_id, note = '' }: PutArgs,
    { actor, dry_run, grant }: ExecRequest,
  ) => {
    ofWholeZone(grant);
    const version_id = deps.ids.next('pol');
    const set = compileOrRefuse(deps, text, version_id);
    const { revision } = set;
    const rules = [...set.rules.values()]
      .filter(({ origin }) => origin === 'zone')
      .map(({ rule_id }) => rule_id);
    if (dry_run) {
      set.release();
      return { dry_run, revision, version: null, rules };
    }
    const version = { version_id, author: actor, note, text, restores: null };
    return { dry_run, revision, version: await enact(deps, version, set, expected_version_id), rules };
  },

  'zone.rollback_policies': async (
    args: { version_id: string; note?: string },
    { actor, grant }: ExecRequest,
  ) => {
    ofWholeZone(grant);
    const row = await deps.rows.get(args.version_id);
    if (!row) throw noVersion();
    const version_id = deps.ids.next('pol');
    // Judged again: the schema or the files beside it may have changed since.
    const set = compileOrRefuse(deps, row.text, version_id);
    const { revision } = set;
    const note = args.note ?? `back to ${row.version_id}`;
    const version = { version_id, author: actor, note, text: row.text, restores: row.version_id };
    return { revision, version: await enact(deps, version, set) };
  },
});

/** Policies are the whole zone's: who has one subnet of it can't set rules for the others. */
function ofWholeZone(grant: unknown): void {
  if (subnetOf(grant) !== null) throw new OpError('forbidden', { reason: 'subnet' });
}

/** From the commit on it is in force for the zone, and here before the writer reads the answer. */
async function enact(
  { rows, active }: PolicyToolDeps,
  version: Parameters<PolicyToolDeps['rows']['append']>[0],
  set: PolicySet,
  expected_version_id?: string,
): Promise<PolicyVersion> {
  let row: PolicyVersionRow;
  try {
    row = await rows.append(version, expected_version_id);
  } catch (error) {
    set.release();
    throw error;
  }
  active.adopt(row, set);
  return withoutText(row);
}

function compileOrRefuse({ active }: PolicyToolDeps, text: string, name: string): PolicySet {
  if (text.includes('\0') || /[\ud800-\udfff]/u.test(text))
    throw new OpError('invalid_argument', { path: '/text' }, 'A policy text is plain Unicode text.');
  // Router masks secrets in what it hands to root: a policy with a hole would mean something else than was written.
  if (/\[redacted:[a-z_]+\]/.test(text))
    throw new OpError(
      'invalid_argument',
      { path: '/text' },
      'The text holds something that looks like a secret.',
    );
  try {
    return active.compileText(text, name);
  } catch (error) {
    if (!(error instanceof PolicyLoadError)) throw error;
    const faults = error.faults.map((fault) => ({
      ...fault,
      file: fault.file === name ? 'text' : fault.file,
    }));
    const said = faults.map(faultText).join('; ').slice(0, MAX_SENTENCE);
    throw new OpError(
      'invalid_argument',
      { path: '/text', faults },
      `Not valid, and nothing was changed: ${said}`,
    );
  }
}

async function show(
  { active, rows }: PolicyToolDeps,
  { version_id, limit = 20 }: { version_id?: string; limit?: number },
) {
  const current = active.current();
  const named = version_id === undefined ? null : await rows.get(version_id);
  if (version_id !== undefined && !named) throw noVersion();
  const { version = null, files = [], set } = current ?? {};
  return {
    revision: active.revision(),
    active: version && withoutText(version),
    problem: active.problem(),
    files: [
      ...active.guards.map((file) => ({ ...file, origin: 'guard' as const })),
      ...files.map((file) => ({ ...file, origin: 'zone_file' as const })),
      ...(version ? [{ name: version.version_id, text: version.text, origin: 'zone_version' as const }] : []),
    ],
    rules: [...(set?.rules.values() ?? [])].map(ruleRow),
    // The store may be away while decisions go on; `problem` says so.
    versions: await rows.list(limit).catch(noneWhileAway),
    version: named,
  };
}

function noneWhileAway(error: unknown): PolicyVersion[] {
  if (error instanceof OpError && error.code === 'dependency_unavailable') return [];
  throw error;
}

const ruleRow = ({
  rule_id,
  origin,
  effect,
  file,
  line,
  code,
  rank,
  explain,
  needs,
  obligations,
  reads,
}: Rule) => ({
  rule_id,
  origin,
  effect,
  file,
  line,
  code: effect === 'forbid' ? code : null,
  rank: effect === 'forbid' ? rank : null,
  explain,
  needs,
  obligations: obligationsText(obligations),
  reads: [...new Set(reads.map(({ fact }) => fact))],
});

const withoutText = ({ text, ...version }: PolicyVersionRow): PolicyVersion => ({
  ...version,
  digest: sha256(text),
});
