import type { Command } from 'commander';
import type { Open } from '../context.js';
import type { Io } from '../io.js';
import { count, instant } from '../options.js';
import { putPolicies, rollbackPolicies, type PutOptions } from './policy-change.js';
import { diffPolicies, type DiffOptions } from './policy-diff.js';
import { explainDecision, type ExplainOptions } from './policy-explain.js';
import { replayDecisions, type ReplayOptions } from './policy-replay.js';
import { showPolicies, type ShowOptions } from './policy-show.js';
import { testPolicies, type TestOptions } from './policy-test.js';

const TEXT = ['--text <file>', 'a proposed text of the zone policies, tried out and not kept'] as const;
const VERSION = ['--version-id <id>', 'an earlier version, pol_…'] as const;
const FILES = ['--policies <dir>', 'the *.cedar files of a folder, without a zone'] as const;
const GUARDS = [
  '--guards <dir>',
  'with --policies: other guards than those of this build (schema.cedarschema, guard/)',
] as const;

export function addPolicyCommands(program: Command, open: Open, { now }: Io): void {
  const policy = program.command('policy').description('the rules of the zone: who may do what, and why');
  policy
    .command('show')
    .description('what is in force: rules, files, versions')
    .option('--text', 'the texts themselves')
    .option('--version-id <id>', 'the text of this version, pol_…')
    .option('--limit <n>', 'versions to show', count(1, 200), 10)
    .action(async (options: ShowOptions, command: Command) => showPolicies(open(command), options));
  policy
    .command('put')
    .description('put a text in force as a new version; a text with a fault changes nothing')
    .argument('<file>', 'all policies of the zone in Cedar; an empty file: none')
    .option('--note <text>', 'why; it stays with the version')
    .option('--expect <id>', 'only while this version is in force (none: only while there is none)')
    .option('--dry-run', 'check it and change nothing')
    .action(async (file: string, options: PutOptions, command: Command) =>
      putPolicies(open(command), file, options),
    );
  policy
    .command('rollback')
    .description('put an earlier version in force again')
    .argument('<version-id>', 'pol_…, as policy show lists it')
    .option('--note <text>', 'why')
    .action(async (id: string, { note }: { note?: string }, command: Command) =>
      rollbackPolicies(open(command), id, note),
    );
  policy
    .command('test')
    .description('run a table of cases; exit code 1 when one fails')
    .requiredOption('--cases <file>', 'the table, YAML or JSON')
    .option(...TEXT)
    .option(...VERSION)
    .option(...FILES)
    .option(...GUARDS)
    .action(async (options: TestOptions, command: Command) => testPolicies(open(command), options));
  policy
    .command('diff')
    .description('who gains or loses what: every profile and role × tool × environment × skill state')
    .option('--from <id>', 'a version, none (guards alone) or in_force', 'in_force')
    .option('--to <id>', 'a version, none or in_force')
    .option(...TEXT)
    .option(...FILES)
    .option('--against <dir>', 'with --policies: the folder to compare with (default: guards alone)')
    .option(...GUARDS)
    .action(async (options: DiffOptions, command: Command) => diffPolicies(open(command), options));
  policy
    .command('explain')
    .description('which rule decided, and which fact had which value')
    .argument('[id]', 'id of an event (evt_…) or a decision (dec_…)')
    .option('--facts <file>', 'facts of a call as JSON, instead of a recorded one')
    .action(async (id: string | undefined, options: ExplainOptions, command: Command) =>
      explainDecision(open(command), id, options),
    );
  policy
    .command('replay')
    .description('decide recorded calls again by another text or version: which would come out otherwise')
    .requiredOption('--since <time>', 'calls from then on: a time, or how long ago', instant(now))
    .option('--until <time>', 'calls before then', instant(now))
    .option(...TEXT)
    .option(...VERSION)
    .option('--limit <n>', 'calls at most, newest first', count(1, 5000), 1000)
    .action(async (options: ReplayOptions, command: Command) => replayDecisions(open(command), options));
}
