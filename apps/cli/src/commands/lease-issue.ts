import { Option, type Command } from 'commander';
import {
  BEARER_ENV,
  CONFIG_CLIENTS,
  LEASE_TTL,
  PROFILES,
  type ClientConfig,
  type ConfigClient,
  type SessionLease,
} from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { Failure, toFailure } from '../failure.js';
import { lifetime, targetId } from '../options.js';
import { printFields } from '../screen/fields.js';
import { printSecret } from '../screen/secret.js';
import { toned } from '../screen/screen.js';
import { localTime, relativeTime } from '../screen/time.js';
import { path } from '../zone-api/path.js';

interface IssueOptions {
  readonly profile: string;
  readonly capability?: string[];
  readonly ttl?: number;
  readonly audience?: string;
  readonly note?: string;
  readonly client: ConfigClient;
}

export interface Issued {
  readonly session: SessionLease;
  readonly bearer: string;
}

export function addIssueCommand(lease: Command, open: Open): void {
  lease
    .command('issue')
    .description('issue a lease; its bearer is shown once, with the configuration of a client')
    .argument('<target>', 'hub:<id>, or the id alone', targetId)
    .requiredOption('--profile <name>', `capability profile, such as ${Object.keys(PROFILES).join(', ')}`)
    .option('--capability <name...>', 'only these capabilities of the profile')
    .option(
      '--ttl <duration>',
      'life of the lease, 60s to 30d (default: 4h)',
      lifetime(LEASE_TTL, 'A lease lives from 60s to 30d.'),
    )
    .option('--audience <name>', 'who gets it (default: the client)')
    .option('--note <text>', 'why it is issued')
    .addOption(
      new Option('--client <name>', 'whose configuration to print').choices(CONFIG_CLIENTS).default('codex'),
    )
    .action(async (target_id: string, options: IssueOptions, command: Command) =>
      issueLease(open(command), target_id, options),
    );
}

async function issueLease(context: Context, target_id: string, options: IssueOptions): Promise<void> {
  const { api, json, output } = context;
  const answer = await api.post<Issued>('/sessions', {
    target_id,
    capability_profile: options.profile,
    capabilities: options.capability,
    ttl_seconds: options.ttl,
    audience: options.audience ?? options.client,
    note: options.note,
  });
  // The bearer can't be read again: it is out before anything else can fail.
  if (!json) printLease(context, answer, options.client);
  const config = await configOf(context, answer.session.session_id, options.client);
  if (json) output.document({ ...answer, client_config: config instanceof Failure ? null : config });
  if (config instanceof Failure) {
    return output.remark(`The configuration for ${options.client} could not be had: ${config.message}`);
  }
  if (!json) printConfig(context, config);
}

async function configOf(
  { api }: Context,
  session_id: string,
  client: ConfigClient,
): Promise<ClientConfig | Failure> {
  try {
    const answer = await api.get<ClientConfig>(path`/sessions/${session_id}/client-config`, { client });
    const { file, format, text, notes } = answer;
    return { client, file, format, text, notes };
  } catch (error) {
    return toFailure(error);
  }
}

function printLease(context: Context, { session, bearer }: Issued, client: ConfigClient): void {
  // VS Code asks for it; the others read a variable.
  printSecret(context, 'Bearer', client === 'vscode' ? bearer : `export ${BEARER_ENV}=${bearer}`);
  printLeaseFields(context, session);
}

/** The lines of a fresh lease. */
export function printLeaseFields({ screen, io }: Context, session: SessionLease): void {
  const { session_id, target_id, deadline_at } = session;
  printFields(screen, [
    ['lease', toned('accent', session_id)],
    ['target', target_id],
    ['profile', `${session.capability_profile}, ${session.allowed_tools.length} tools`],
    [
      'ends',
      [relativeTime(deadline_at, io.now()), toned('dim', `(${localTime(deadline_at, io.time_zone)})`)],
    ],
    ['audience', session.audience],
    ['note', session.note || null],
  ]);
  screen.line();
}

function printConfig({ screen }: Context, { client, file, text, notes }: ClientConfig): void {
  screen.line(
    file === null
      ? [toned('strong', client), 'command:']
      : [toned('strong', client), 'configuration, for', toned('accent', file)],
  );
  screen.line();
  for (const line of text.trimEnd().split('\n')) screen.line(line, 2);
  screen.line();
  for (const note of notes) screen.wrapped(toned('dim', note));
}
