import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What the kernel says of a process (proc(5), /proc/<pid>/stat). */
export interface ProcessStat {
  readonly pid: number;
  readonly state: string;
  readonly pgid: number;
  readonly sid: number;
  /** Start time in clock ticks since boot: pid and start time together name one process, a pid alone may be reused. */
  readonly start_ticks: string;
}

/** A process as it is remembered over a restart of the agent. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start_ticks: string;
  readonly boot_id: string;
  /** What its standard output is joined to; its descendants share it, nobody else does. */
  readonly output: string | null;
}

/** The state of a process, or null when there is none of that pid (or no /proc on this system). */
export function statOf(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The command name stands in parentheses and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: fields[0] ?? '?',
    pgid: Number(fields[2]),
    sid: Number(fields[3]),
    start_ticks: fields[19] ?? '',
  };
}

/** Living members of a process group; a zombie holds nothing and only waits for its parent. */
export function groupMembers(pgid: number): ProcessStat[] {
  return processIds()
    .map(statOf)
    .filter((stat): stat is ProcessStat => stat !== null && stat.pgid === pgid && stat.state !== 'Z');
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Changes at every boot, so that ticks of another boot are never compared. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

/** The one variable a service gets beside its configured ones: whose it is, also when its agent died before it could note the pid. */
export const OWNER_VARIABLE = 'ADAOS_AGENT_RUN';

/** Living processes that were started with that owner, and what descends from them. */
export function ownedBy(owner: string): ProcessStat[] {
  const entry = `${OWNER_VARIABLE}=${owner}`;
  return processIds()
    .filter((pid) => pid !== process.pid && environOf(pid).includes(entry))
    .map(statOf)
    .filter((stat): stat is ProcessStat => stat !== null && stat.state !== 'Z');
}

function environOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

export function identityOf(pid: number): ProcessIdentity | null {
  const stat = statOf(pid);
  return stat && { pid, start_ticks: stat.start_ticks, boot_id: bootId(), output: outputOf(pid, 1) };
}

/** Whether exactly that process still lives. */
export function isAlive({ pid, start_ticks, boot_id }: ProcessIdentity): boolean {
  const stat = statOf(pid);
  return boot_id === bootId() && stat !== null && stat.start_ticks === start_ticks && stat.state !== 'Z';
}

/** Whether a process writes to the given channel: it then descends from the one that was started with it. */
export const holdsOutput = (pid: number, output: string): boolean =>
  [1, 2].some((fd) => outputOf(pid, fd) === output);

function outputOf(pid: number, fd: number): string | null {
  try {
    const link = readlinkSync(`/proc/${pid}/fd/${fd}`);
    return /^(?:pipe|socket):\[\d+\]$/.test(link) ? link : null;
  } catch {
    return null;
  }
}
