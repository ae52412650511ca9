import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@adaos/contracts';
import type { Log } from '@adaos/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { endGroup } from './process-group.js';
import {
  bootId,
  groupMembers,
  holdsOutput,
  identityOf,
  isAlive,
  ownedBy,
  statOf,
  type ProcessIdentity,
  type ProcessStat,
} from './process-identity.js';

const GRACE_MS = 2_000;

/** Names the services of one agent, by its run directory. */
export const ownerOf = (dir: string) => sha256(dir).slice(0, 32);

const fileOf = (dir: string, name: string) => join(dir, `${name}.pid`);

/**
 * Remembers a started process for the case that this agent is killed. Synchronous, right after the spawn: an await in between would be
 * a moment in which a killed agent forgets its child. Surviving a power cut isn't asked: no process survives one.
 */
export function writePidFile(dir: string, name: string, pid: number): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const identity = identityOf(pid);
  if (identity) writeFileSync(fileOf(dir, name), JSON.stringify(identity), { mode: 0o600 });
}

export const removePidFile = (dir: string, name: string): void => rmSync(fileOf(dir, name), { force: true });

/** Ends what services of a killed agent left running, also of services that are no longer configured. */
export async function endLeftovers(dir: string, log: Log): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const names = readdirSync(dir).flatMap((file) => /^(.+)\.pid$/.exec(file)?.[1] ?? []);
  await Promise.all(
    names.map(async (name) => {
      const identity = readIdentity(fileOf(dir, name));
      const ended =
        identity === null ||
        (await endLeftover(identity, (pid) => log.warn({ service: name, pid }, 'ending a leftover process')));
      if (!ended) log.error({ service: name, pid: identity?.pid }, 'a leftover process could not be ended');
      removePidFile(dir, name);
    }),
  );
  // A kill between fork and the pid file leaves a child that no file names, holding its port.
  const unnamed = ownedBy(ownerOf(dir));
  for (const { pid } of unnamed) log.warn({ pid }, 'ending a leftover process');
  if (!(await endEach(unnamed, bootId()))) log.error({}, 'a leftover process could not be ended');
}

function readIdentity(file: string): ProcessIdentity | null {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<ProcessIdentity> | null;
    const { pid, start_ticks, boot_id, output = null } = value ?? {};
    if (!Number.isInteger(pid) || pid! <= 1 || typeof start_ticks !== 'string' || typeof boot_id !== 'string')
      return null;
    return { pid: pid!, start_ticks, boot_id, output };
  } catch {
    // A file cut short by the kill names nobody, and nobody is ended on a guess.
    return null;
  }
}

async function endLeftover(identity: ProcessIdentity, found: (pid: number) => void): Promise<boolean> {
  if (identity.boot_id !== bootId()) return true;
  if (isAlive(identity)) {
    found(identity.pid);
    return endGroup(identity.pid, GRACE_MS);
  }
  // Another process of that pid: the number is free for reuse only once the whole old group is gone.
  const leader = statOf(identity.pid);
  if (leader && leader.start_ticks !== identity.start_ticks) return true;
  // The leader is gone: its number may have been reused since, so only those still writing to its output are its children.
  const { output } = identity;
  const orphans =
    output === null ? [] : groupMembers(identity.pid).filter((member) => holdsOutput(member.pid, output));
  for (const orphan of orphans) found(orphan.pid);
  return endEach(orphans, identity.boot_id);
}

async function endEach(members: readonly ProcessStat[], boot_id: string): Promise<boolean> {
  const living = () => members.filter((member) => isAlive({ ...member, boot_id, output: null }));
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of living()) {
      try {
        process.kill(pid, name);
      } catch {
        // It ended by itself between the look and the signal.
      }
    }
  };
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    signal(name);
    const deadline = performance.now() + GRACE_MS;
    while (living().length && performance.now() < deadline) await sleep(20);
  }
  return living().length === 0;
}
