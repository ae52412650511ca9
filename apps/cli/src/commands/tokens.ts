import { Option, type Command } from 'commander';
import { ACCESS_TOKEN_TTL, PROFILES, type AccessToken } from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { withNext } from '../failure.js';
import { count, lifetime, targetId } from '../options.js';
import { printFields } from '../screen/fields.js';
import { printSecret } from '../screen/secret.js';
import { toned } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { readListing } from '../zone-api/pages.js';
import { path } from '../zone-api/path.js';

interface IssueOptions {
  readonly profile: string;
  readonly audience: string;
  readonly capability?: string[];
  readonly ttl?: number;
  readonly note?: string;
}

interface Issued {
  readonly root_url: string;
  readonly subnet_id: string;
  readonly zone: string;
  readonly access_token: string;
  readonly token: AccessToken;
}

export function addTokenCommands(program: Command, open: Open): void {
  const tokens = program.command('tokens').description('access tokens: what a native client is given');
  tokens
    .command('issue')
    .description('issue a token; it is shown once, with the URL, zone and subnet its client needs')
    .argument('<target>', 'hub:<id>, or the id alone', targetId)
    .requiredOption('--profile <name>', `capability profile, such as ${Object.keys(PROFILES).join(', ')}`)
    .requiredOption('--audience <name>', 'who gets it')
    .option('--capability <name...>', 'only these capabilities of the profile')
    .option(
      '--ttl <duration>',
      'life, 60s to 30d (default: 1h)',
      lifetime(ACCESS_TOKEN_TTL, 'A token lives from 60s to 30d.'),
    )
    .option('--note <text>', 'why it is issued')
    .action(async (target_id: string, options: IssueOptions, command: Command) =>
      issueToken(open(command), target_id, options),
    );
  tokens
    .command('list')
    .description('tokens with deadline and use, newest first')
    .addOption(
      new Option('--status <status>', 'only tokens in this state').choices(['active', 'expired', 'revoked']),
    )
    .option('--target <target>', 'only tokens on this target', targetId)
    .option('--limit <n>', 'show at most this many', count(1, 10_000), 200)
    .action(async (options: { status?: string; target?: string; limit: number }, command: Command) => {
      const { api, io, json, output, screen } = open(command);
      const query = { status: options.status, target_id: options.target };
      const { items, complete } = await readListing<AccessToken>(
        api,
        '/access-tokens',
        'tokens',
        query,
        options.limit,
      );
      if (json) return output.document({ ok: true, tokens: items, complete });
      if (items.length) printTable(screen, columns(io.now()), items);
      else screen.line('No such tokens.');
      if (!complete) output.remark(`There are more than ${options.limit}; --limit shows them.`);
    });
  tokens
    .command('revoke')
    .description('end a token now, everywhere')
    .argument('<id>', 'id of the token, tok_…')
    .option('--reason <text>', 'why; stands in the record')
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const { api, json, output, screen } = open(command);
      const answer = await withNext(
        { invalid_argument: 'See which tokens there are: adaosctl tokens list --status active' },
        api.post<{ token: AccessToken }>(path`/access-tokens/${id}/revoke`, { reason }),
      );
      if (json) return output.document(answer);
      screen.wrapped([toned('ok', 'Revoked'), toned('accent', answer.token.token_id)]);
    });
}

async function issueToken(context: Context, target_id: string, options: IssueOptions): Promise<void> {
  const { api, io, json, output, screen } = context;
  const answer = await api.post<Issued>('/access-tokens', {
    target_id,
    audience: options.audience,
    capability_profile: options.profile,
    capabilities: options.capability,
    ttl_seconds: options.ttl,
    note: options.note,
  });
  if (json) return output.document(answer);
  const { root_url, subnet_id, zone, access_token, token } = answer;
  printSecret(context, 'Token', access_token);
  printFields(screen, [
    ['url', root_url],
    ['zone', zone],
    ['subnet', subnet_id],
    ['token', toned('accent', token.token_id)],
    ['profile', `${token.capability_profile}, ${token.allowed_tools.length} tools`],
    ['ends', relativeTime(token.deadline_at, io.now())],
  ]);
}

const columns = (now: number): readonly Column<AccessToken>[] => [
  { title: 'TOKEN', cell: (token) => toned('accent', token.token_id) },
  { title: 'TARGET', cell: (token) => token.target_id, min: 10 },
  { title: 'PROFILE', cell: (token) => token.capability_profile, min: 15 },
  { title: 'STATUS', cell: (token) => stateWord(token.status) },
  { title: 'ENDS', cell: (token) => relativeTime(token.revoked_at ?? token.deadline_at, now) },
  { title: 'USES', cell: (token) => token.use_count, align: 'right', drop: 2 },
  { title: 'AUDIENCE', cell: (token) => token.audience, min: 8, drop: 1 },
];
