import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The directory given, made if need be, or a temporary one that `remove` removes; a given one it leaves alone. */
export function ownDir(name, dir) {
  if (dir === undefined) {
    const made = mkdtempSync(join(tmpdir(), `${name}-`));
    return { dir: made, remove: () => rmSync(made, { recursive: true, force: true }) };
  }
  mkdirSync(dir, { recursive: true });
  return { dir: resolve(dir), remove: () => {} };
}
