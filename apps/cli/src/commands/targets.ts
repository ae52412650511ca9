import { Argument, Option, type Command } from 'commander';
import { ENVIRONMENTS, SKILL_STATES, TARGET_STATUSES, type ManagedTarget } from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { count, targetId } from '../options.js';
import { toned } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { readListing } from '../zone-api/pages.js';
import { path } from '../zone-api/path.js';
import { printTarget } from './target-card.js';
import { addRegisterCommand } from './target-register.js';

interface ListOptions {
  readonly environment?: string;
  readonly status?: string;
  readonly limit: number;
}

export function addTargetCommands(program: Command, open: Open): void {
  const targets = program.command('targets').description('managed targets');
  targets
    .command('list')
    .description('targets with environment, status and skill state')
    .addOption(new Option('--environment <name>', 'only this environment').choices(ENVIRONMENTS))
    .addOption(new Option('--status <status>', 'only this status').choices(TARGET_STATUSES))
    .option('--limit <n>', 'show at most this many', count(1, 10_000), 200)
    .action(async (options: ListOptions, command: Command) => listTargets(open(command), options));
  targets
    .command('show')
    .description('one target: surface, policy, health, transport')
    .argument('<target>', 'hub:<id>, or the id alone', targetId)
    .action(async (target_id: string, _options: unknown, command: Command) => {
      const { api, json, output, ...context } = open(command);
      const answer = await api.get<{ target: ManagedTarget }>(path`/targets/${target_id}`);
      if (json) return output.document(answer);
      printTarget(context, answer.target);
    });
  addRegisterCommand(targets, open);
  targets
    .command('skill')
    .description('set the state of infra_access_skill on a target; only enabled publishes tools')
    .argument('<target>', 'hub:<id>, or the id alone', targetId)
    .addArgument(new Argument('<state>', 'its new state').choices(SKILL_STATES))
    .action(async (target_id: string, state: string, _options: unknown, command: Command) => {
      const { api, json, output, screen } = open(command);
      const answer = await api.post<{ target: ManagedTarget }>(path`/targets/${target_id}/skill`, { state });
      if (json) return output.document(answer);
      const { skill, capabilities } = answer.target.operational_surface;
      screen.wrapped([
        skill.name,
        'on',
        toned('accent', answer.target.target_id),
        'is',
        stateWord(skill.state),
        `(${capabilities.length} tools published).`,
      ]);
      // The hub can only narrow, and says so with its next report.
      if (skill.state !== state)
        output.remark(
          `The hub does not say ${state} yet; look again shortly: adaosctl targets show ${target_id}`,
        );
    });
}

const columns = (now: number): readonly Column<ManagedTarget>[] => [
  { title: 'TARGET', cell: (target) => toned('accent', target.target_id), min: 30 },
  { title: 'ENV', cell: (target) => target.environment },
  { title: 'STATUS', cell: (target) => stateWord(target.status) },
  { title: 'SKILL', cell: (target) => stateWord(target.operational_surface.skill.state) },
  { title: 'SEEN', cell: (target) => seen(target, now), drop: 3 },
  { title: 'SUBNET', cell: (target) => target.subnet_id, min: 8, drop: 1 },
  { title: 'TITLE', cell: (target) => target.title, min: 8, drop: 2 },
];

const seen = ({ transport }: ManagedTarget, now: number) =>
  transport.last_seen_at === null ? toned('dim', 'never') : relativeTime(transport.last_seen_at, now);

async function listTargets({ api, io, json, output, screen }: Context, options: ListOptions): Promise<void> {
  const { environment, status, limit } = options;
  const { items, complete } = await readListing<ManagedTarget>(
    api,
    '/targets',
    'targets',
    { environment, status },
    limit,
  );
  if (json) return output.document({ ok: true, targets: items, complete });
  if (items.length) printTable(screen, columns(io.now()), items);
  else if (environment || status) screen.line('No such targets.');
  else
    screen.line(
      'No targets yet. Register one: adaosctl targets register <hub> --environment test --subnet <id>',
    );
  if (!complete) output.remark(`There are more than ${limit}; --limit shows them.`);
}
