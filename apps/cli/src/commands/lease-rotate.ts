import type { Command } from 'commander';
import { BEARER_ENV, LEASE_TTL, type SessionLease } from '@adaos/contracts';
import type { Open } from '../context.js';
import { withNext } from '../failure.js';
import { lifetime } from '../options.js';
import { printSecret } from '../screen/secret.js';
import { toned } from '../screen/screen.js';
import { relativeTime } from '../screen/time.js';
import { path } from '../zone-api/path.js';
import { printLeaseFields, type Issued } from './lease-issue.js';

interface RotateOptions {
  readonly overlap?: number;
  readonly ttl?: number;
}

interface Rotated extends Issued {
  readonly previous: SessionLease;
}

export function addRotateCommand(lease: Command, open: Open): void {
  lease
    .command('rotate')
    .description('give a lease a new bearer, shown once; the old one ends')
    .argument('<id>', 'id of the lease, lse_…')
    .option('--overlap <duration>', 'let the old bearer work so long, up to 1h', overlap)
    .option(
      '--ttl <duration>',
      'a new life, 60s to 30d (default: what is left)',
      lifetime(LEASE_TTL, 'A lease lives from 60s to 30d.'),
    )
    .action(async (id: string, options: RotateOptions, command: Command) => {
      const context = open(command);
      const { api, io, json, output, screen } = context;
      const answer = await withNext(
        {
          invalid_argument: 'See which leases there are: adaosctl lease list --status active',
          conflict: 'See its successor: adaosctl lease list --status active',
        },
        api.post<Rotated>(path`/sessions/${id}/rotate`, {
          overlap_seconds: options.overlap,
          ttl_seconds: options.ttl,
        }),
      );
      if (json) return output.document(answer);
      const { session, bearer, previous } = answer;
      printSecret(context, 'Bearer', `export ${BEARER_ENV}=${bearer}`);
      printLeaseFields(context, session);
      const { session_id, status, revoked_at } = previous;
      screen.wrapped([
        toned('accent', session_id),
        status === 'active' && revoked_at
          ? `opens until it ends ${relativeTime(revoked_at, io.now())}.`
          : 'opens nothing any more.',
      ]);
    });
}

const overlap = lifetime({ min: 1, max: 3_600 }, 'An overlap takes from 1s to 1h.');
