import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wholeFault } from './fault.js';
import type { PolicySources } from './compile.js';
import type { PolicyFile } from './policy-text.js';

const MAX_FILES = 64;

/** Schema and guards of a directory, as the build ships them. Throws PolicyLoadError. */
export function readGuards(dir: string): Pick<PolicySources, 'schema' | 'guards'> {
  const guards = readPolicyFiles(join(dir, 'guard'));
  if (guards.length === 0) throw wholeFault(dir, `no guard policies in ${dir}`);
  return { schema: readText(join(dir, 'schema.cedarschema')), guards };
}

/** The `*.cedar` files of a folder by name. Throws PolicyLoadError when it can't be read. */
export function readPolicyFiles(dir: string): PolicyFile[] {
  let names: string[];
  try {
    names = readdirSync(dir).filter((name) => name.endsWith('.cedar'));
  } catch {
    throw wholeFault(dir, `no policy directory ${dir}`);
  }
  if (names.length > MAX_FILES)
    throw wholeFault(dir, `${names.length} files are over the ${MAX_FILES} allowed`);
  return names.sort().map((name) => ({ name, text: readText(join(dir, name)) }));
}

const readText = (file: string) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw wholeFault(file, `can not read ${file}`);
  }
};
