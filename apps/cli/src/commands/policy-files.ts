import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PolicyFault, PolicySet } from '@adaos/policy-engine';
import type { Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { toned, type Screen } from '../screen/screen.js';

/** Folders up from this program to look for the guards it was built with. */
const MAX_UP = 6;

/** Text of a file the caller named. */
export function readGiven({ io }: Context, file: string): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw usage(`${file} can not be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

/** The policies of a folder under the guards of this build, or others. For work without a zone; the engine is loaded here. */
export async function compileFolder(
  { io }: Context,
  folder: string | null,
  guards_dir: string | undefined,
): Promise<PolicySet> {
  const { compilePolicySet, readGuards, readPolicyFiles, PolicyLoadError } =
    await import('@adaos/policy-engine');
  try {
    const guards = readGuards(guards_dir === undefined ? shippedPolicies() : resolve(io.cwd, guards_dir));
    const zone = folder === null ? [] : readPolicyFiles(resolve(io.cwd, folder));
    return compilePolicySet({ ...guards, zone });
  } catch (error) {
    if (error instanceof PolicyLoadError) throw faulty(error.faults);
    throw error;
  }
}

function shippedPolicies(): string {
  let at = dirname(fileURLToPath(import.meta.url));
  for (let up = 0; up < MAX_UP; up++) {
    const dir = join(at, 'deploy/policies');
    if (existsSync(join(dir, 'schema.cedarschema'))) return dir;
    at = dirname(at);
  }
  throw usage('The guards of this build were not found.', 'Name them: --guards deploy/policies');
}

/** A text that does not load, as a failure that tells every fault by its line. */
export const faulty = (faults: readonly PolicyFault[]): Failure =>
  new Failure('refused', {
    code: 'invalid_argument',
    message: `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in the policies.`,
    details: Object.fromEntries(
      faults.map(({ file, line, message }, n) => [
        `${file}${line > 0 ? `:${line}` : ''}${n ? ` (${n + 1})` : ''}`,
        message,
      ]),
    ),
    document: {
      ok: false,
      error: { code: 'invalid_argument', message: 'The policies do not load.' },
      faults,
    },
  });

/** Faults that the zone named, in the same form. */
export function withFaults(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { details, audit_event_id } = error.facts;
  const faults = details?.['faults'];
  if (!Array.isArray(faults)) return error;
  return new Failure('refused', { ...faulty(faults as PolicyFault[]).facts, audit_event_id });
}

export const checkFaults = (faults: readonly PolicyFault[]): void => {
  if (faults.length) throw faulty(faults);
};

export const heading = (screen: Screen, text: string) => screen.line(toned('strong', text));
