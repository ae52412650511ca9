import { InvalidArgumentError, type Command } from 'commander';
import { findTool, type Envelope, type ToolContract } from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { Failure, refused, withNext } from '../failure.js';
import { targetId } from '../options.js';
import { toned, type Part } from '../screen/screen.js';
import { printValue } from '../screen/value.js';
import { propertiesOf, toolArguments, type InputSchema } from '../tool-arguments.js';
import { factsOf, type Api } from '../zone-api/api.js';
import { path } from '../zone-api/path.js';

/** Milliseconds a call may take: beyond what any contract allows the hub. */
const CALL_TIMEOUT_MS = 120_000;

interface CallOptions {
  readonly target?: string;
  readonly arg?: string[];
  readonly jsonArgs?: string;
  readonly dryRun?: boolean;
  readonly requestId?: string;
  readonly approval?: string;
}

export function addCallCommand(tools: Command, open: Open): void {
  tools
    .command('call')
    .description('call a tool as this credential; decided, bounded and recorded like every other call')
    .argument('<tool>', 'tool id such as hub.get_status, or its MCP name')
    .option('--target <target>', 'target of the call', targetId)
    .option('--arg <name=value...>', 'arguments, typed by the contract of the tool; a list by commas')
    .option('--json-args <json>', 'arguments as a JSON object')
    .option('--dry-run', 'say what would happen and change nothing')
    .option('--request-id <id>', 'repeat a write with the same id to get its first result', requestId)
    .option('--approval <id>', 'repeat a call that was approved meanwhile, apr_…')
    .action(async (tool: string, options: CallOptions, command: Command) =>
      callTool(open(command), tool, options),
    );
}

function requestId(text: string): string {
  if (/^[A-Za-z0-9._:-]{1,128}$/.test(text)) return text;
  throw new InvalidArgumentError('A request id is up to 128 letters, digits and . _ : -');
}

async function callTool(context: Context, tool: string, options: CallOptions): Promise<void> {
  const { api, io, json, output, timeout_ms } = context;
  const args = await withNext(
    { usage: `See what it takes: adaosctl tools show ${tool}` },
    toolArguments({ pairs: options.arg ?? [], json: options.jsonArgs, target_id: options.target }, (names) =>
      schemaFor(api, tool, names),
    ),
  );
  // Named here, so that a write whose answer got lost can be repeated safely.
  const request_id = options.requestId ?? io.newRequestId();
  const envelope = await repeatable(
    request_id,
    api.post<Envelope>(
      '/call',
      {
        tool_id: tool,
        arguments: args,
        ...(options.dryRun && { dry_run: true }),
        request_id,
        approval_id: options.approval,
      },
      { timeout_ms: timeout_ms ?? CALL_TIMEOUT_MS },
    ),
  );
  if (!envelope.ok) throw refusedCall(envelope, options.target);
  if (json) return output.document(envelope);
  printEnvelope(context, envelope);
}

/** The tool's input schema: this build's where it knows all the names, else the zone's, which may be newer. */
async function schemaFor(api: Api, tool: string, names: readonly string[]): Promise<InputSchema> {
  const known = findTool(tool)?.contract.input_schema;
  if (known && names.every((name) => Object.hasOwn(propertiesOf(known), name))) return known;
  try {
    const { contract } = await api.get<{ contract: ToolContract }>(path`/contracts/${tool}`);
    return contract.input_schema;
  } catch (error) {
    // A lease may call tools without being allowed to read contracts.
    if (known && error instanceof Failure && error.kind === 'refused') return known;
    throw error;
  }
}

async function repeatable<T>(request_id: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const lost =
      error instanceof Failure && ['timeout', 'interrupted', 'connection_lost'].includes(error.facts.code);
    if (!lost) throw error;
    const next = `The call may have run. Repeat it with --request-id ${request_id} to get its first result.`;
    throw new Failure(error.kind, { ...error.facts, next, request_id });
  }
}

function refusedCall(envelope: Envelope, target: string | undefined): Failure {
  const facts = factsOf({ ...envelope.error }, { ...envelope });
  const failure = refused(facts);
  const tool_id = envelope.tool_id || '<tool>';
  const approval_id = facts.details?.['approval_id'];
  const next = failure.facts.next
    ?.replace('<tool>', tool_id)
    .replace('<target>', target ?? '<target>')
    .replaceAll('<approval>', typeof approval_id === 'string' ? approval_id : '<approval>');
  return new Failure(failure.kind, { ...failure.facts, next, document: envelope });
}

/** The result, then one line of how it came about. */
function printEnvelope({ screen, io }: Context, envelope: Envelope): void {
  const { result = {}, provenance, redactions, meta, audit_event_id } = envelope;
  if (envelope.dry_run) screen.line(toned('warn', 'Dry run: nothing was changed.'));
  if (Object.keys(result).length) printValue(screen, result, io.now());
  else screen.line('Done; the tool answered nothing.', 2);
  const masked = redactions.reduce((sum, { count }) => sum + count, 0);
  const remarks: Part[] = [
    ...(masked ? [toned('warn', `${masked} masked ${masked === 1 ? 'value' : 'values'}.`)] : []),
    ...(envelope.truncated ? [toned('warn', 'The result was cut; ask for less to see all of it.')] : []),
    ...(provenance && !provenance.complete
      ? [toned('warn', `Not complete: ${provenance.note ?? 'a part was not reached'}.`)]
      : []),
    ...(meta['replayed'] === true
      ? [toned('warn', 'The first result of this request id; nothing ran again.')]
      : []),
  ];
  screen.line();
  for (const remark of remarks) screen.wrapped(remark);
  const from = provenance ? `· ${provenance.source} by ${provenance.adapter}` : null;
  screen.wrapped([
    toned('ok', envelope.status),
    ...(from ? [toned('dim', from)] : []),
    ...(audit_event_id ? [toned('dim', `· event ${audit_event_id}`)] : []),
  ]);
}
