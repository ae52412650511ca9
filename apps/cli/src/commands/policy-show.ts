import type { PolicyVersion } from '@adaos/contracts';
import type { Context } from '../context.js';
import { printFields } from '../screen/fields.js';
import { toned } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { relativeTime } from '../screen/time.js';
import { heading } from './policy-files.js';

export interface ShowOptions {
  readonly text?: boolean;
  readonly versionId?: string;
  readonly limit: number;
}

interface RuleRow {
  readonly rule_id: string;
  readonly origin: string;
  readonly effect: string;
  readonly file: string;
  readonly line: number;
  readonly code: string | null;
  readonly rank: number | null;
  readonly explain: string;
  readonly obligations: string;
}

interface Shown {
  readonly revision: string;
  readonly active: PolicyVersion | null;
  readonly problem: string | null;
  readonly files: readonly { name: string; origin: string; text: string }[];
  readonly rules: readonly RuleRow[];
  readonly versions: readonly PolicyVersion[];
  readonly version: (PolicyVersion & { text: string }) | null;
}

export async function showPolicies(
  { api, io, json, output, screen }: Context,
  options: ShowOptions,
): Promise<void> {
  const { text, versionId: version_id, limit } = options;
  const shown = await api.get<Shown>('/policies', { version_id, limit });
  if (json) return output.document(shown);
  if (shown.version) return printText(screen, shown.version.text);
  const { active } = shown;
  printFields(screen, [
    ['revision', shown.revision],
    [
      'version',
      active
        ? [
            active.version_id,
            toned('dim', `by ${active.author}, ${relativeTime(active.created_at, io.now())}`),
          ]
        : toned('dim', 'the zone has none'),
    ],
    ['problem', shown.problem === null ? null : toned('bad', shown.problem)],
  ]);
  for (const file of text ? shown.files : []) {
    screen.line();
    screen.line([toned('strong', file.name), toned('dim', file.origin)]);
    printText(screen, file.text);
  }
  screen.line();
  printTable(screen, RULES, shown.rules);
  if (shown.versions.length) {
    screen.line();
    heading(screen, 'Versions of the zone');
    printTable(screen, versions(io.now()), shown.versions);
  }
}

const printText = (screen: Context['screen'], text: string) => {
  for (const line of text.trimEnd().split('\n')) screen.line(line);
};

const RULES: readonly Column<RuleRow>[] = [
  { title: 'RANK', cell: ({ rank }) => rank ?? toned('dim', '-'), align: 'right' },
  {
    title: 'RULE',
    cell: ({ rule_id, origin }) => toned(origin === 'zone' ? 'accent' : null, rule_id),
    min: 16,
  },
  {
    title: 'DOES',
    cell: ({ effect, code }) => (effect === 'permit' ? toned('ok', effect) : toned('bad', code ?? effect)),
  },
  { title: 'SAYS', cell: ({ explain, obligations }) => explain || obligations, min: 20, drop: 2 },
  { title: 'STANDS IN', cell: ({ file, line }) => `${file}:${line}`, min: 10, drop: 1 },
];

const versions = (now: number): readonly Column<PolicyVersion>[] => [
  { title: 'VERSION', cell: ({ version_id }) => toned('accent', version_id) },
  { title: 'WHEN', cell: ({ created_at }) => relativeTime(created_at, now) },
  { title: 'BY', cell: ({ author }) => author, min: 8, drop: 1 },
  { title: 'NOTE', cell: ({ note }) => note, min: 10 },
  { title: 'BACK TO', cell: ({ restores }) => restores ?? '', drop: 2 },
];
