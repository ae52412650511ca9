import { createHash } from 'node:crypto';
import { OpError } from '@adaos/contracts';
import { checkIdentifier } from './connect.js';
import type { AnySql, Sql } from './fault.js';
import { approvals } from './migrations/approvals.js';
import { admissions } from './migrations/admissions.js';
import { bootstrapOperators } from './migrations/bootstrap-operators.js';
import { credentials } from './migrations/credentials.js';
import { leaseIssuers } from './migrations/lease-issuers.js';
import { leases } from './migrations/leases.js';
import { operators } from './migrations/operators.js';
import { policyVersions } from './migrations/policy-versions.js';
import { records } from './migrations/records.js';
import { runs } from './migrations/runs.js';
import { targets } from './migrations/targets.js';
import { StoreStartError, codeOf } from './start-error.js';

/** `up` answers the statements; `schema` is only for names that are kept as text, such as a trigger's function. Never edited once released. */
export interface Migration {
  name: string;
  up(schema: string): string;
}

export const MIGRATIONS: readonly Migration[] = [
  leases,
  operators,
  targets,
  records,
  leaseIssuers,
  bootstrapOperators,
  approvals,
  runs,
  credentials,
  admissions,
  policyVersions,
];

const MAX_LOCK_WAIT_MS = 120_000;

// The schema's name is not part of it: one checksum serves all schemas.
const checksumOf = (migration: Migration) =>
  createHash('sha256').update(migration.up('$schema')).digest('hex');

/**
 * Brings the schema up to date, each missing migration in a transaction of its own. Any number of processes may call it at
 * once: they queue on an advisory lock, and the last ones find nothing to do. Answers the names it applied.
 * @throws StoreStartError when the database is newer than this build, a released migration was edited, or the role lacks rights.
 * @throws OpError dependency_unavailable when the database is away.
 */
export async function migrate(sql: Sql, schema: string, migrations = MIGRATIONS): Promise<string[]> {
  checkIdentifier(schema);
  const applied: string[] = [];
  try {
    for (;;) {
      const name = await sql.begin((tx) => applyNext(tx, schema, migrations));
      if (name === null) return applied;
      applied.push(name);
    }
  } catch (error) {
    if (error instanceof StoreStartError || error instanceof OpError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreStartError(
      `The schema ${schema} could not be brought up to date (${codeOf(error)} ${reason}): check the rights of the database role, or restore a backup made by this build.`,
    );
  }
}

async function applyNext(
  tx: AnySql,
  schema: string,
  migrations: readonly Migration[],
): Promise<string | null> {
  // Rewriting a large table may take longer than a request may.
  await tx`select set_config('statement_timeout', ${String(MAX_LOCK_WAIT_MS)}, true)`;
  await tx`select pg_advisory_xact_lock(hashtextextended(${`adaos.migrate.${schema}`}, 0))`;
  await tx`create schema if not exists ${tx(schema)}`;
  await tx`select set_config('search_path', ${schema}, true)`;
  await tx`
    create table if not exists schema_migrations (
      name       text primary key,
      checksum   text not null,
      applied_at timestamptz(3) not null default now()
    )`;
  const done = new Map(
    (await tx<{ name: string; checksum: string }[]>`select name, checksum from schema_migrations`).map(
      (row) => [row.name, row.checksum] as const,
    ),
  );
  const unknown = [...done.keys()].filter((name) => !migrations.some((known) => known.name === name)).sort();
  if (unknown.length > 0) {
    throw new StoreStartError(
      `The database schema ${schema} has the migration ${unknown.at(-1)}, which this build does not know: run a build that is at least as new.`,
    );
  }
  for (const migration of migrations) {
    const recorded = done.get(migration.name);
    if (recorded !== undefined && recorded !== checksumOf(migration)) {
      throw new StoreStartError(
        `The migration ${migration.name} differs from the one that made the schema ${schema}: run the build that made it, or put the file back and add a new migration.`,
      );
    }
  }
  const next = migrations.find(({ name }) => !done.has(name));
  if (!next) return null;
  await tx.unsafe(next.up(`"${schema}"`));
  await tx`insert into schema_migrations (name, checksum) values (${next.name}, ${checksumOf(next)})`;
  return next.name;
}
