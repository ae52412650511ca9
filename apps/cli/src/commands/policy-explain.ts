import type { CaseOutcome } from '@adaos/policy-engine';
import type { Context } from '../context.js';
import { usage, withNext } from '../failure.js';
import { printFields } from '../screen/fields.js';
import { toned } from '../screen/screen.js';
import { relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { heading, readGiven } from './policy-files.js';

export interface ExplainOptions {
  readonly facts?: string;
}

interface Recorded extends CaseOutcome {
  readonly event_id: string;
  readonly decision_id: string | null;
  readonly at: string;
  readonly actor: string | null;
  readonly tool_id: string | null;
  readonly target_id: string | null;
  readonly policy_revision: string | null;
  readonly facts: object | null;
}

interface Now extends CaseOutcome {
  readonly revision: string;
  readonly looked_at: readonly { rule_id: string; facts: readonly string[] }[];
}

interface Explained {
  readonly recorded: Recorded | null;
  readonly now: Now | null;
  readonly differs: boolean;
}

export async function explainDecision(
  context: Context,
  id: string | undefined,
  { facts }: ExplainOptions,
): Promise<void> {
  const { api, io, json, output, screen } = context;
  const explained = await withNext(
    { target_not_found: 'See recent events: adaosctl events tail' },
    api.post<Explained>('/policies/explain', asked(context, id, facts)),
  );
  if (json) return output.document(explained);
  const { recorded, now, differs } = explained;
  if (recorded) {
    heading(screen, 'As it was decided');
    printFields(screen, [
      ['event', recorded.event_id],
      ['when', relativeTime(recorded.at, io.now())],
      ['who', recorded.actor],
      ['what', [recorded.tool_id ?? '', recorded.target_id === null ? '' : `on ${recorded.target_id}`]],
      ...outcomeFields(recorded),
      ['policy', recorded.policy_revision],
    ]);
    if (!recorded.facts)
      output.remark('Its facts can not be made again by this build: they were recorded by another.');
    if (now) screen.line();
  }
  if (!now) return;
  heading(screen, 'As the policies in force decide');
  printFields(screen, [
    ...outcomeFields(now),
    // Of a refusal the sentence above has them.
    ...(now.decision === 'allow' ? now.looked_at : []).map(
      ({ rule_id, facts: lines }) => [rule_id, lines.join(', ') || null] as const,
    ),
    ['policy', now.revision],
  ]);
  if (differs) screen.wrapped(toned('warn', 'The policies in force decide otherwise than it was decided.'));
}

function asked(context: Context, id: string | undefined, file: string | undefined): object {
  if ((id === undefined) === (file === undefined))
    throw usage('Give the id of an event or decision, or --facts.');
  if (file !== undefined) return { facts: readGiven(context, file) };
  return id!.startsWith('dec_') ? { decision_id: id } : { event_id: id };
}

const outcomeFields = ({
  decision,
  code,
  rules,
  obligations,
  explanation,
  operator_explanation,
}: CaseOutcome) =>
  [
    ['decision', [stateWord(decision), ...(code === null ? [] : [toned('dim', code)])]],
    ['rules', rules.join(', ') || null],
    ['tied to', obligations || null],
    ['the caller', explanation ? `read: ${explanation}` : null],
    ['because', operator_explanation || null],
  ] as const;
