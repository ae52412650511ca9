import type { Command } from 'commander';
import type { ManagedTarget } from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { away, Failure } from '../failure.js';
import { printFields, type Field } from '../screen/fields.js';
import { toned, type Part } from '../screen/screen.js';
import { stateWord } from '../screen/tones.js';
import type { Api } from '../zone-api/api.js';
import { readListing } from '../zone-api/pages.js';

/** Entries counted at most; beyond, the count is told as a lower bound. */
const COUNT_LIMIT = 10_000;

interface Foundation {
  readonly zone: string;
  readonly build: { readonly version: string; readonly commit: string };
  readonly counts: { readonly tools: number; readonly planes: number; readonly profiles: number };
}

interface TargetCounts {
  readonly total: number;
  readonly complete: boolean;
  readonly by_status: Readonly<Record<string, number>>;
}

interface LeaseCount {
  readonly total: number;
  readonly complete: boolean;
}

/** A part of the status that may be refused while others are told. */
type Asked<T> = { readonly value: T } | { readonly failure: Failure };

export function addZoneCommands(program: Command, open: Open): void {
  const zone = program.command('zone').description('the zone itself');
  zone
    .command('status')
    .description('health, readiness, build, targets by status, active leases')
    .action(async (_options: unknown, command: Command) => zoneStatus(open(command)));
}

/** Health and readiness first, since they need no token; then what the token may see, each on its own. */
async function zoneStatus({ api, output, screen, json }: Context): Promise<void> {
  const health = await api.probe('/healthz');
  const [ready, foundation, targets, leases] = await Promise.all([
    api.probe('/readyz'),
    asked(api.get<{ foundation: Foundation }>('/foundation').then((answer) => answer.foundation)),
    asked(countTargets(api)),
    asked(countLeases(api)),
  ]);
  const healthy = health.status === 200;
  const is_ready = ready.status === 200;
  const root_url = api.connection.url.href.replace(/\/$/, '');
  const parts = { foundation, targets, leases };
  const document = {
    ok: healthy && is_ready && Object.values(parts).every((part) => 'value' in part),
    root_url,
    healthy,
    ready: is_ready,
    latency_ms: Math.round(health.ms),
    ...Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [
        name,
        'value' in part
          ? part.value
          : { error: { code: part.failure.facts.code, message: part.failure.message } },
      ]),
    ),
  };
  const failure = worst(healthy, is_ready, Object.values(parts));
  if (json) {
    if (failure) throw new Failure(failure.kind, { ...failure.facts, document });
    return output.document(document);
  }
  const name = 'value' in foundation ? foundation.value.zone : '';
  screen.line(['Zone', ...(name ? [toned('strong', name)] : []), 'at', toned('accent', root_url)]);
  printFields(screen, [
    [
      'health',
      healthy
        ? [toned('ok', 'ok'), toned('dim', `${Math.round(health.ms)} ms`)]
        : toned('bad', `no (HTTP ${health.status})`),
    ],
    ['ready', is_ready ? toned('ok', 'yes') : toned('bad', `no (HTTP ${ready.status})`)],
    ...rows('build', foundation, ({ build, counts }) => [
      ['build', [build.version, toned('dim', `(${build.commit})`)]],
      ['tools', `${counts.tools} in ${counts.planes} planes, ${counts.profiles} profiles`],
    ]),
    ...rows('targets', targets, (counts) => [['targets', targetWords(counts)]]),
    ...rows('leases', leases, ({ total, complete }) => [['leases', `${total}${complete ? '' : '+'} active`]]),
  ]);
  if (failure) throw failure;
}

const rows = <T>(label: string, part: Asked<T>, told: (value: T) => readonly Field[]): readonly Field[] =>
  'value' in part ? told(part.value) : [[label, toned('warn', `not told (${part.failure.facts.code})`)]];

function targetWords({ total, complete, by_status }: TargetCounts): readonly Part[] {
  const states = Object.entries(by_status).flatMap(([status, count], index) => [
    ...(index ? [toned('dim', '·')] : []),
    `${count}`,
    stateWord(status),
  ]);
  return [`${total}${complete ? '' : '+'}`, ...(states.length ? [toned('dim', '·'), ...states] : [])];
}

async function countTargets(api: Api): Promise<TargetCounts> {
  const { items, complete } = await readListing<ManagedTarget>(api, '/targets', 'targets', {}, COUNT_LIMIT);
  const by_status = new Map<string, number>();
  for (const { status } of items) by_status.set(status, (by_status.get(status) ?? 0) + 1);
  return { total: items.length, complete, by_status: Object.fromEntries([...by_status].sort()) };
}

async function countLeases(api: Api): Promise<LeaseCount> {
  const { items, complete } = await readListing(
    api,
    '/sessions',
    'sessions',
    { status: 'active' },
    COUNT_LIMIT,
  );
  return { total: items.length, complete };
}

async function asked<T>(work: Promise<T>): Promise<Asked<T>> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'interrupted') return { failure: error };
    throw error;
  }
}

/** What the command ends with: a zone that is away outranks a token it refuses, that outranks a part it does not show. */
function worst(healthy: boolean, ready: boolean, parts: readonly Asked<unknown>[]): Failure | undefined {
  const failures = parts.flatMap((part) => ('failure' in part ? [part.failure] : []));
  const unauthenticated = failures.find((failure) => failure.kind === 'unauthenticated');
  if (!healthy) return away('unhealthy', 'The zone is not healthy.', 'Look at its logs.');
  if (!ready)
    return away(
      'not_ready',
      'The zone is up but not ready: a part of it is away.',
      'Look at its logs; try again shortly.',
    );
  return unauthenticated ?? failures[0];
}
