import { Option, type Command } from 'commander';
import { EVENT_STATUSES } from '@adaos/contracts';
import type { Open } from '../context.js';
import type { Io } from '../io.js';
import { count, durationMs, instant, targetId } from '../options.js';
import { showEvent } from './event-show.js';
import { tailEvents, type TailOptions } from './events-tail.js';

export function addEventCommands(program: Command, open: Open, { now }: Io): void {
  const events = program.command('events').description('the record of who asked what, and what came of it');
  events
    .command('tail')
    .description('the last events, oldest first; -f goes on with those that come')
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('-n, --lines <n>', 'how many of the past', count(0, 1000), 20)
    .option('--every <duration>', 'time between two looks with -f (default: 1s)', durationMs)
    .option('--tool <id>', 'only this tool')
    .option('--target <target>', 'only this target', targetId)
    .option('--lease <id>', 'only calls under this lease')
    .option('--trace <id>', 'only this trace')
    .option('--type <type>', 'only this kind, such as tool.call or auth.denied')
    .addOption(new Option('--status <status>', 'only this outcome').choices(EVENT_STATUSES))
    .option('--since <time>', 'only from then on: a time, or how long ago', instant(now))
    .option('--until <time>', 'only before then', instant(now))
    .action(async (options: TailOptions, command: Command) => tailEvents(open(command, 'ndjson'), options));
  events
    .command('show')
    .description('one event explained: who, what, decision, timings, outcome')
    .argument('<id>', 'id of the event, evt_…, or its end as tail shows it')
    .action(async (id: string, _options: unknown, command: Command) => showEvent(open(command), id));
}
