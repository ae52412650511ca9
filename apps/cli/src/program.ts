import { Command } from 'commander';
import { addApprovalCommands } from './commands/approvals.js';
import { addEventCommands } from './commands/events.js';
import { addKeyCommands } from './commands/keys.js';
import { addLeaseCommands } from './commands/leases.js';
import { addOperatorCommands } from './commands/operators.js';
import { addPolicyCommands } from './commands/policy.js';
import { addTargetCommands } from './commands/targets.js';
import { addTokenCommands } from './commands/tokens.js';
import { addToolCommands } from './commands/tools.js';
import { addZoneCommands } from './commands/zone.js';
import type { Open } from './context.js';
import { EXIT_HELP } from './exit.js';
import type { Io } from './io.js';
import { durationMs } from './options.js';
import { VERSION } from './version.js';

const CONNECTION_HELP = `
Connection, from the first that names it:
  --url, --token-file
  ADAOS_URL, ADAOS_TOKEN
  .zone/connection.json here, or in --data-dir (npm start writes it)
A token is never an argument and never printed; it is only sent to the URL it stands next to.`;

/** The whole command line. Nothing here reads or writes; actions do, through `open`. */
export function createProgram(io: Io, open: Open): Command {
  const program = new Command('adaosctl')
    .description('Operate a zone of the AdaOS Root MCP Foundation: targets, leases, tools, events.')
    .version(VERSION, '--version', 'Show the version.')
    .helpOption('-h, --help', 'Show help.')
    .helpCommand(false)
    .option('--url <url>', 'root URL of the zone')
    .option('--token-file <file>', 'file that holds the token')
    .option('--data-dir <dir>', 'data folder of a zone on this machine (default: .zone)')
    .option('--timeout <duration>', 'time a request may take (default: 15s; tools call: 2m)', durationMs)
    .option('--json', 'machine output: one JSON document; events tail: one per line')
    .option('--no-color', 'no colour; NO_COLOR does the same')
    .addHelpText('after', `${CONNECTION_HELP}\n${EXIT_HELP}`)
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    // Errors are told by run(), in one form; only help is written here.
    .configureOutput({
      writeOut: io.stdout.write,
      writeErr: io.stderr.write,
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns ?? 100,
    });
  addZoneCommands(program, open);
  addTargetCommands(program, open);
  addLeaseCommands(program, open);
  addTokenCommands(program, open);
  addKeyCommands(program, open);
  addOperatorCommands(program, open);
  addApprovalCommands(program, open);
  addToolCommands(program, open);
  addEventCommands(program, open, io);
  addPolicyCommands(program, open, io);
  return program;
}
