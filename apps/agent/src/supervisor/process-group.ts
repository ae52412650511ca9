import { setTimeout as sleep } from 'node:timers/promises';
import { groupMembers, statOf } from './process-identity.js';

/** Milliseconds a killed process may take to be gone; only one stuck in the kernel takes longer. */
const KILL_MS = 2_000;
const FIRST_POLL_MS = 5;
const LONGEST_POLL_MS = 50;

/** Sends a signal to a whole group. False when the group is gone. */
function signalGroup(pgid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pgid, signal);
    return true;
  } catch {
    return false;
  }
}

const hasMembers = (pgid: number): boolean => {
  try {
    process.kill(-pgid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // Signal 0 reaches zombies too, which a container without an init keeps for ever.
  const leader = statOf(pgid);
  if (leader?.pgid === pgid && leader.state !== 'Z') return true;
  return statOf(process.pid) === null || groupMembers(pgid).length > 0;
};

/**
 * Ends a process group: SIGTERM, after `term_ms` SIGKILL, so that neither a child that ignores the first nor its own children stay
 * (field case F33). Resolves true once the group is gone, false when something survived even that for two seconds.
 */
export async function endGroup(pgid: number, term_ms: number): Promise<boolean> {
  if (term_ms > 0 && signalGroup(pgid, 'SIGTERM') && (await gone(pgid, term_ms))) return true;
  signalGroup(pgid, 'SIGKILL');
  return gone(pgid, KILL_MS);
}

async function gone(pgid: number, within_ms: number): Promise<boolean> {
  const deadline = performance.now() + within_ms;
  for (let pause_ms = FIRST_POLL_MS; hasMembers(pgid); pause_ms = Math.min(pause_ms * 2, LONGEST_POLL_MS)) {
    if (performance.now() >= deadline) return false;
    await sleep(pause_ms);
  }
  return true;
}
