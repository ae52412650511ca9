import { Option, type Command } from 'commander';
import { SURFACES, type ToolContract } from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { printFields } from '../screen/fields.js';
import { toned, type Tone } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { sayDuration } from '../screen/time.js';
import { propertiesOf } from '../tool-arguments.js';
import { readPage } from '../zone-api/pages.js';
import { path } from '../zone-api/path.js';
import { addCallCommand } from './tool-call.js';

/** What the zone lists of a tool. */
type ToolLine = Pick<
  ToolContract,
  'tool_id' | 'title' | 'summary' | 'plane_id' | 'side_effect_class' | 'required_capability' | 'dry_run'
>;

interface ListOptions {
  readonly surface?: string;
  readonly plane?: string;
}

export function addToolCommands(program: Command, open: Open): void {
  const tools = program.command('tools').description('tool contracts, and calls');
  tools
    .command('list')
    .description('tools of the zone')
    .addOption(new Option('--surface <name>', 'only this surface').choices(SURFACES))
    .option('--plane <id>', 'only this plane, such as infra_ops')
    .action(async ({ surface, plane }: ListOptions, command: Command) => {
      const { api, json, output, screen } = open(command);
      const { items } = await readPage<ToolLine>(api, '/contracts', 'contracts', {
        surface,
        plane_id: plane,
      });
      if (json) return output.document({ ok: true, contracts: items });
      if (items.length) printTable(screen, COLUMNS, items);
      else screen.line('No such tools.');
    });
  tools
    .command('show')
    .description('one tool: arguments, side effects, limits')
    .argument('<tool>', 'tool id such as hub.get_status, or its MCP name')
    .action(async (tool: string, _options: unknown, command: Command) => {
      const { api, json, output, ...context } = open(command);
      const answer = await api.get<{ contract: ToolContract }>(path`/contracts/${tool}`);
      if (json) return output.document(answer);
      printContract(context, answer.contract);
    });
  addCallCommand(tools, open);
}

const EFFECTS: Readonly<Record<string, Tone>> = { reversible_write: 'warn', destructive_write: 'bad' };
const effect = (side_effect_class: string) => toned(EFFECTS[side_effect_class] ?? 'dim', side_effect_class);

const COLUMNS: readonly Column<ToolLine>[] = [
  { title: 'TOOL', cell: (tool) => toned('accent', tool.tool_id) },
  { title: 'PLANE', cell: (tool) => tool.plane_id, drop: 1 },
  { title: 'EFFECT', cell: (tool) => effect(tool.side_effect_class) },
  { title: 'TITLE', cell: (tool) => tool.title, min: 24 },
];

interface ArgumentLine {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

function printContract({ screen }: Pick<Context, 'screen'>, contract: ToolContract): void {
  const { rate_limit, tool_id } = contract;
  screen.line([toned('strong', tool_id), contract.title]);
  screen.wrapped(contract.summary, { indent: 2 });
  screen.line();
  printFields(screen, [
    ['MCP name', contract.mcp_name],
    ['plane', `${contract.plane_id} (${contract.surface})`],
    ['effect', effect(contract.side_effect_class)],
    ['class', contract.routing_class],
    ['capability', contract.required_capability],
    ['environments', contract.allowed_environments.join(', ')],
    ['approval', contract.approval],
    ['dry run', contract.dry_run],
    ['repeats', contract.idempotency === 'safe' ? 'safe' : 'the same --request-id answers the first result'],
    ['time', `at most ${sayDuration(contract.timeout_ms / 1000)}`],
    ['rate', `${rate_limit.points} calls in ${sayDuration(rate_limit.duration_s)}`],
    [
      'at once',
      `${contract.max_concurrency_per_target} per target, ${contract.max_concurrency_per_actor} per caller`,
    ],
    ['version', `${contract.version}, ${contract.stability}`],
  ]);
  screen.line();
  const lines = argumentLines(contract);
  screen.line(lines.length ? 'Arguments' : 'No arguments.');
  for (const { name, type, required, description } of lines) {
    screen.line([toned('accent', name), toned('dim', required ? `${type}, required` : type)], 2);
    if (description) screen.wrapped(description, { indent: 6 });
  }
  screen.line();
  const needed = lines.filter((line) => line.required).map((line) => ` --arg ${line.name}=…`);
  const on = contract.surface === 'operations' ? ' --target <target>' : '';
  screen.line('Call it');
  screen.line(`adaosctl tools call ${tool_id}${on}${needed.join('')}`, 2);
}

function argumentLines({ input_schema }: ToolContract): ArgumentLine[] {
  const required = (input_schema['required'] ?? []) as readonly string[];
  return Object.entries(propertiesOf(input_schema)).map(([name, schema]) => {
    const {
      type = 'any',
      enum: values,
      description = '',
      items,
    } = schema as {
      type?: string;
      enum?: readonly string[];
      description?: string;
      items?: { type?: string };
    };
    const kind = values ? values.join('|') : type === 'array' ? `list of ${items?.type ?? 'any'}` : type;
    return { name, type: kind, required: required.includes(name), description };
  });
}
