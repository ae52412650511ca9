import { CommanderError } from 'commander';
import { opener } from './context.js';
import { EXIT } from './exit.js';
import { toFailure, usage, type Failure } from './failure.js';
import type { Io } from './io.js';
import { createOutput, type Output } from './output.js';
import { createProgram } from './program.js';

/** Runs one command line (without node and script). Answers the exit code; never throws. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  // Until a command has read its options, the line itself says how an error is to be told.
  let output: Output = createOutput(io, {
    mode: argv.includes('--json') ? 'json' : 'text',
    color: !argv.includes('--no-color'),
    config: { NO_COLOR: io.env['NO_COLOR'] || undefined, TERM: io.env['TERM'] },
  });
  const program = createProgram(
    io,
    opener(io, (opened) => (output = opened)),
  );
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    const failure = error instanceof CommanderError ? usageOf(error) : toFailure(error);
    output.failure(failure);
    return failure.exit;
  }
}

/** Commander's own sentence, without its prefix and with its suggestion as the next step. */
function usageOf(error: CommanderError): Failure {
  if (error.code === 'commander.help')
    return usage('Name a command.', 'See which there are: adaosctl --help');
  const [sentence = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  // The value of an option that does not exist may be a token: it is not repeated.
  const told = sentence.replace(/^(unknown option '[^'=]*)=.*'$/s, "$1'");
  const message = told.charAt(0).toUpperCase() + told.slice(1);
  const end = /[.!?)]$/.test(message) ? '' : '.';
  const next = message.includes("'--token'")
    ? 'A token is no argument: set ADAOS_TOKEN, or give --token-file.'
    : (suggestion?.replace(/^\(|\)$/g, '') ?? 'Add --help to see what it takes.');
  return usage(message + end, next);
}
