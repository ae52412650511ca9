import { readFile } from 'node:fs/promises';

/** What a command did. `code` is null when it was killed or could not be started; `fault` then is the errno code. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  fault?: string;
}
export type Run = (
  argv: readonly string[],
  options?: { uid?: number; gid?: number; cwd?: string },
) => Promise<Ran>;

/** A live process: its command line, and a start mark that tells it from a later process with the same pid. */
export interface ProcessFacts {
  command: string;
  started: string;
}

/**
 * Facts of a live process, or null when there is none. A zombie counts as dead: in containers whose pid 1 reaps nothing,
 * a killed server stays visible to `kill(pid, 0)` for ever.
 */
export async function processFacts(pid: number, run: Run): Promise<ProcessFacts | null> {
  if (process.platform === 'linux') return linuxFacts(pid);
  const { code, stdout } = await run(['/bin/ps', '-ww', '-o', 'stat=,lstart=,command=', '-p', String(pid)]);
  const found = /^\s*(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/m.exec(stdout);
  if (code !== 0 || !found || found[1]?.startsWith('Z')) return null;
  return { started: String(found[2]), command: String(found[3]) };
}

async function linuxFacts(pid: number): Promise<ProcessFacts | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name field may hold spaces and brackets; what follows its last bracket is regular (proc_pid_stat(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    return { started: String(fields[19]), command };
  } catch {
    return null;
  }
}
