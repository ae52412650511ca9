import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { StoreStartError } from '../start-error.js';
import { USE_DATABASE_URL, copyBinaries } from './binaries.js';
import type { Ran, Run } from './process.js';

/** As whom the server runs: PostgreSQL refuses root. `owner_uid` is who owns its files as this machine sees them. */
export interface Identity {
  uid?: number;
  gid?: number;
  prefix: readonly string[];
  owner_uid: number;
  bin_dir: string;
  major: number;
}

const NOBODY = 65_534;
/** In a user namespace of its own the server sees itself as nobody, while its files stay ours. No right is gained. */
const UNSHARE = ['unshare', '-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];

/**
 * Finds an account under which the server can run and reach both its binaries and `data_dir`. An ordinary user is
 * its own account. Root uses the owner of the directory, else `nobody`; where that account can't reach the path (a project
 * under a mode-700 home), a user namespace; where namespaces are forbidden, a copy of the binaries beside the data.
 * @throws StoreStartError when none of them works (musl, a foreign CPU, an unreachable path).
 */
export async function chooseIdentity(deps: {
  data_dir: string;
  package_dir: string;
  run: Run;
  log: (line: string) => void;
}): Promise<Identity> {
  const { data_dir, package_dir, run, log } = deps;
  const bin_dir = join(package_dir, 'native', 'bin');
  const self = process.getuid?.() ?? NOBODY;
  const tries: Ran[] = [];
  const probe = async (candidate: Omit<Identity, 'major'>): Promise<Identity | null> => {
    const argv = [...candidate.prefix, join(candidate.bin_dir, 'postgres'), '--version'];
    const ran = await run(argv, { uid: candidate.uid, gid: candidate.gid });
    tries.push(ran);
    const major = /\(PostgreSQL\) (\d+)/.exec(ran.stdout)?.[1];
    return ran.code === 0 && major ? { ...candidate, major: Number(major) } : null;
  };
  const namespaced = { prefix: UNSHARE, owner_uid: self, bin_dir };

  if (self !== 0) {
    // initdb looks its user up by name: an arbitrary container uid without a passwd entry needs the namespace.
    const plain = { prefix: [], owner_uid: self, bin_dir };
    const found = hasPasswdEntry() ? await probe(plain) : ((await probe(namespaced)) ?? (await probe(plain)));
    if (found) return found;
    throw cannotRun(tries);
  }

  // --version alone answers root too: whether the binaries work at all comes before whose they are.
  if (!(await probe({ prefix: [], owner_uid: 0, bin_dir }))) throw cannotRun(tries);
  const account = await accountFor(data_dir);
  const reachable = await canTraverse(dirname(data_dir), account);
  const direct = { ...account, prefix: [], owner_uid: account.uid, bin_dir };
  const found = (reachable && (await probe(direct))) || (await probe(namespaced));
  if (found) return found;
  if (reachable) {
    const copy = await copyBinaries(package_dir, data_dir);
    log(`embedded postgres: copied its binaries to ${copy}, where user id ${account.uid} can read them`);
    const copied = await probe({ ...direct, bin_dir: join(copy, 'native', 'bin') });
    if (copied) return copied;
  }
  if (!reachable) {
    throw new StoreStartError(
      `PostgreSQL refuses to run as root and user id ${account.uid} can't reach ${data_dir}: run as an ordinary user, move the data directory out of the private home, or ${USE_DATABASE_URL}.`,
    );
  }
  throw cannotRun(tries);
}

function cannotRun(tries: readonly Ran[]): StoreStartError {
  const last = tries.at(-1);
  const reason = last?.stderr.trim().split('\n').at(-1) || last?.fault || `exit code ${last?.code}`;
  // A glibc binary on musl fails with ENOENT although its file is there: what is missing is its loader.
  const hint = last?.fault === 'ENOENT' ? ', as on Alpine and other musl systems' : '';
  return new StoreStartError(
    `The embedded PostgreSQL can't run on this machine (${reason}${hint}): ${USE_DATABASE_URL}.`,
  );
}

function hasPasswdEntry(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

async function accountFor(data_dir: string): Promise<{ uid: number; gid: number }> {
  const owner = await stat(data_dir);
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const nobody =
    passwd
      .split('\n')
      .find((line) => line.startsWith('nobody:'))
      ?.split(':') ?? [];
  return { uid: Number(nobody[2] ?? NOBODY), gid: Number(nobody[3] ?? NOBODY) };
}

/** Whether the account may pass through every directory down to `path`, by mode bits alone. */
export async function canTraverse(path: string, account: { uid: number; gid: number }): Promise<boolean> {
  for (let dir = path; ; dir = dirname(dir)) {
    const { uid, gid, mode } = await stat(dir);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dir === dirname(dir)) return true;
  }
}
