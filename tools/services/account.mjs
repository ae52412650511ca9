// PostgreSQL refuses to run as root: the account it runs under instead, and whether that account can reach a directory.
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const NOBODY = { uid: 65_534, gid: 65_534 };

/** The account of a name, or null. */
export function accountOf(name) {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`));
    const [, , uid, gid] = line.split(':');
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return null;
  }
}

/** Undefined for an ordinary user, who is its own account. */
export const serverAccount = () => (process.getuid?.() === 0 ? (accountOf('postgres') ?? NOBODY) : undefined);

/** Whether every directory above `path` lets the account through. */
export function canReach(path, account) {
  if (!account) return true;
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    const { mode, uid, gid } = statSync(dir);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dir === dirname(dir)) return true;
  }
}
