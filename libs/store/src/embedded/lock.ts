import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { StoreStartError, codeOf } from '../start-error.js';
import { processFacts, type Run } from './process.js';

/** A lock file that is created but not yet written is younger than this. */
const WRITE_GRACE_MS = 5_000;

/**
 * Takes the launcher's lock: only its holder may create, adopt or stop the server of a data directory. The lock names a
 * process and its start mark, so that a holder killed with SIGKILL frees it by being dead, even when its pid is reused.
 * @throws StoreStartError when a live process holds it.
 */
export async function takeLauncherLock(
  path: string,
  data_dir: string,
  run: Run,
): Promise<() => Promise<void>> {
  const self = await processFacts(process.pid, run);
  const own = JSON.stringify({ pid: process.pid, started: self?.started ?? '' });
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await writeFile(path, own, { flag: 'wx', mode: 0o600 });
      return async () => {
        if ((await readFile(path, 'utf8').catch(() => '')) === own) await rm(path, { force: true });
      };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const seen = await readFile(path, 'utf8').catch(() => '');
    const holder = await liveHolder(path, seen, run);
    if (holder) {
      throw new StoreStartError(
        `The database in ${data_dir} is already in use by process ${holder}: stop that process or choose another data directory.`,
      );
    }
    await clearStale(path, seen);
  }
  throw new StoreStartError(
    `Several processes are starting the database in ${data_dir} at once: start only one of them.`,
  );
}

async function liveHolder(path: string, content: string, run: Run): Promise<string | null> {
  try {
    const { pid, started } = JSON.parse(content) as { pid: number; started: string };
    const facts = await processFacts(pid, run);
    return facts && facts.started === started ? String(pid) : null;
  } catch {
    const age_ms =
      Date.now() -
      (await stat(path)
        .then((s) => s.mtimeMs)
        .catch(() => 0));
    return age_ms < WRITE_GRACE_MS ? 'that is just starting' : null;
  }
}

/** Moves the stale lock away; when a rival has replaced it meanwhile, what was moved is the rival's, so it goes back. */
async function clearStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) === stale) await rm(aside, { force: true });
  else await rename(aside, path);
}
