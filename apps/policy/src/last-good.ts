import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { sha256, validator } from '@adaos/contracts';
import type { PolicyFile } from '@adaos/policy-engine';
import type { PolicyVersionRow } from '@adaos/store';
import { Type, type Static } from 'typebox';

const Kept = Type.Object({
  zone: Type.String(),
  version: Type.Union([
    Type.Null(),
    Type.Object({
      version_id: Type.String(),
      seq: Type.Integer(),
      author: Type.String(),
      note: Type.String(),
      digest: Type.String(),
      restores: Type.Union([Type.String(), Type.Null()]),
      created_at: Type.String(),
      text: Type.String(),
    }),
  ]),
  files: Type.Array(Type.Object({ name: Type.String(), text: Type.String() })),
});
type Kept = Static<typeof Kept>;

const check = validator<Kept>(Kept);

/** What was in force: the zone's version and the files beside it. */
export interface LastGood {
  readonly version: PolicyVersionRow | null;
  readonly files: readonly PolicyFile[];
}

/**
 * The policies that were in force, on this machine's disk: what a start goes by while the database is away. It is judged like any other
 * policy before it counts; without the file such a start denies everything, since guards alone would allow what the zone had forbidden.
 */
export function createLastGood(file: string | null, zone: string) {
  return {
    read(): LastGood | null {
      if (file === null) return null;
      try {
        const kept = check(JSON.parse(readFileSync(file, 'utf8')));
        if (kept.zone !== zone) return null;
        if (kept.version && sha256(kept.version.text) !== kept.version.digest) return null;
        return kept;
      } catch {
        return null;
      }
    },
    /** Throws what the file system says. */
    write({ version, files }: LastGood): void {
      if (file === null) return;
      const fresh = `${file}.${process.pid}`;
      // Renamed, or a process that dies while it writes would leave half a policy.
      writeFileSync(fresh, JSON.stringify({ zone, version, files }), { mode: 0o600 });
      renameSync(fresh, file);
    },
  };
}
