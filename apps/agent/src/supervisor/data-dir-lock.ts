import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.js';

/**
 * Takes the data directory for this process. Two agents on one directory would end each other's services as leftovers and interleave
 * one journal. The lock of a killed agent is recognised by its start time and taken over. Throws Error when another agent lives.
 */
export function lockDataDir(data_dir: string): () => void {
  mkdirSync(data_dir, { recursive: true, mode: 0o700 });
  const file = join(data_dir, 'agent.lock');
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, JSON.stringify(identityOf(process.pid) ?? { pid: process.pid }), {
        flag: 'wx',
        mode: 0o600,
      });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 0) throw error;
    }
    const holder = readHolder(file);
    if (holder && isAlive(holder))
      throw new Error(`another agent (pid ${holder.pid}) uses the data directory ${data_dir}`);
    rmSync(file, { force: true });
  }
}

function readHolder(file: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}
