import { Option, type Command } from 'commander';
import { ROLES, type Operator } from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { withNext } from '../failure.js';
import { printSecret } from '../screen/secret.js';
import { toned } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { readListing } from '../zone-api/pages.js';
import { path } from '../zone-api/path.js';

interface Tokened {
  readonly operator: Operator;
  readonly token: string;
}

interface Changed {
  readonly operator: Operator;
  readonly ended_count: number;
}

const NEXT = {
  invalid_argument: 'See who there is: adaosctl operators list',
  conflict: 'See who there is: adaosctl operators list',
} as const;

const NAME = {
  ...NEXT,
  invalid_argument: 'A name is up to 64 letters, digits and . _ @ + -, the first a letter or digit.',
} as const;

/** Admins only; the zone says so. */
export function addOperatorCommands(program: Command, open: Open): void {
  const operators = program.command('operators').description('who runs the zone');
  operators
    .command('create')
    .description('make an operator; its token is shown once')
    .argument('<name>', 'short name; stands in the record')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory())
    .action(async (name: string, { role }: { role: string }, command: Command) => {
      const context = open(command);
      printToken(context, await withNext(NAME, context.api.post<Tokened>('/operators', { name, role })));
    });
  operators
    .command('list')
    .description('operators with role, state and last use')
    .addOption(new Option('--role <role>', 'only this role').choices(ROLES))
    .action(async ({ role }: { role?: string }, command: Command) => {
      const { api, io, json, output, screen } = open(command);
      const { items, complete } = await readListing<Operator>(
        api,
        '/operators',
        'operators',
        { role },
        1_000,
      );
      if (json) return output.document({ ok: true, operators: items, complete });
      if (items.length) printTable(screen, columns(io.now()), items);
      else screen.line('No such operators.');
    });
  change(operators, open, 'disable', 'its token opens nothing, and what it issued ends', () => ({
    disabled: true,
  }));
  change(operators, open, 'enable', 'let its token open again', () => ({ disabled: false }));
  operators
    .command('role')
    .description('give an operator another role, at once')
    .argument('<id>', 'id of the operator, opr_…')
    .argument('<role>', ROLES.join(', '))
    .action(async (id: string, role: string, _options: unknown, command: Command) =>
      set(open(command), id, { role }),
    );
  operators
    .command('rotate')
    .description('give an operator a new token, shown once; the old one ends')
    .argument('<id>', 'id of the operator, opr_…')
    .action(async (id: string, _options: unknown, command: Command) => {
      const context = open(command);
      printToken(context, await withNext(NEXT, context.api.post<Tokened>(path`/operators/${id}/rotate`, {})));
    });
}

function change(
  operators: Command,
  open: Open,
  verb: string,
  description: string,
  body: () => Record<string, unknown>,
): void {
  operators
    .command(verb)
    .description(description)
    .argument('<id>', 'id of the operator, opr_…')
    .action(async (id: string, _options: unknown, command: Command) => set(open(command), id, body()));
}

async function set({ api, json, output, screen }: Context, id: string, body: object): Promise<void> {
  const answer = await withNext(NEXT, api.post<Changed>(path`/operators/${id}`, body));
  if (json) return output.document(answer);
  const { operator, ended_count } = answer;
  screen.wrapped([
    toned('ok', operator.name),
    `is ${operator.role}, ${operator.status};`,
    `${ended_count} of what it had issued ended.`,
  ]);
}

function printToken(context: Context, answer: Tokened): void {
  if (context.json) return context.output.document(answer);
  const { operator, token } = answer;
  printSecret(context, 'Token', token);
  context.screen.wrapped([toned('accent', operator.operator_id), `is ${operator.name}, ${operator.role}.`]);
}

const columns = (now: number): readonly Column<Operator>[] => [
  { title: 'OPERATOR', cell: (one) => toned('accent', one.operator_id) },
  { title: 'NAME', cell: (one) => one.name, min: 8 },
  { title: 'ROLE', cell: (one) => one.role },
  { title: 'STATUS', cell: (one) => stateWord(one.status) },
  {
    title: 'LAST USE',
    cell: (one) => (one.last_used_at ? relativeTime(one.last_used_at, now) : toned('dim', 'never')),
  },
];
