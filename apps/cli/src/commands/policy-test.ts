import { OpError } from '@adaos/contracts';
import type { CaseResult, PolicyFault } from '@adaos/policy-engine';
import { parse } from 'yaml';
import type { Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { toned } from '../screen/screen.js';
import { checkFaults, compileFolder, readGiven } from './policy-files.js';

export interface TestOptions {
  readonly cases: string;
  readonly text?: string;
  readonly versionId?: string;
  readonly policies?: string;
  readonly guards?: string;
}

interface Tested {
  readonly revision: string;
  readonly passed: number;
  readonly failed: number;
  readonly results: readonly CaseResult[];
  readonly faults: readonly PolicyFault[];
}

export async function testPolicies(context: Context, options: TestOptions): Promise<void> {
  const { json, output, screen } = context;
  const text = readGiven(context, options.cases);
  const tested =
    options.policies === undefined
      ? await atZone(context, text, options)
      : await offline(context, text, options);
  checkFaults(tested.faults);
  if (!json) {
    for (const result of tested.results) printResult(screen, result);
    screen.line();
    screen.line([
      toned(tested.failed ? 'bad' : 'ok', `${tested.passed} passed, ${tested.failed} failed`),
      toned('dim', `revision ${tested.revision}`),
    ]);
  }
  if (tested.failed) {
    throw new Failure('refused', {
      code: 'cases_failed',
      message: `${tested.failed} of ${tested.results.length} cases did not come out as expected.`,
      document: { ok: false, ...tested },
    });
  }
  if (json) output.document({ ok: true, ...tested });
}

const atZone = (context: Context, cases: string, { text, versionId: version_id }: TestOptions) =>
  context.api.post<Tested>('/policies/test', {
    cases,
    ...(text !== undefined && { text: readGiven(context, text) }),
    ...(version_id !== undefined && { version_id }),
  });

async function offline(
  context: Context,
  text: string,
  { policies, guards, ...others }: TestOptions,
): Promise<Tested> {
  if (others.text !== undefined || others.versionId !== undefined)
    throw usage('--policies tests a folder; --text and --version-id ask a zone.');
  const { caseTable, createDecider, runCases } = await import('@adaos/policy-engine');
  let cases: ReturnType<typeof caseTable>;
  try {
    cases = caseTable(parse(text, { maxAliasCount: 0 }));
  } catch (error) {
    const reason = error instanceof OpError ? error.message : `${(error as Error).message.split('\n')[0]}`;
    throw usage(`The cases can not be read: ${reason}`);
  }
  const set = await compileFolder(context, policies ?? null, guards);
  const results = runCases(createDecider(set, { memo_size: 0 }), cases);
  const passed = results.filter(({ ok }) => ok).length;
  return { revision: set.revision, passed, failed: results.length - passed, results, faults: [] };
}

function printResult(screen: Context['screen'], { name, ok, differs, fault, got }: CaseResult): void {
  screen.line([toned(ok ? 'ok' : 'bad', ok ? 'ok  ' : 'FAIL'), name]);
  if (ok) return;
  for (const line of fault === null ? differs : [fault]) screen.wrapped(line, { indent: 6 });
  if (got?.operator_explanation) screen.wrapped(toned('dim', got.operator_explanation), { indent: 6 });
}
