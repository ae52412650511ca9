import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/** One process to keep running. `env` is all it gets besides PATH and HOME: no secret of another service. */
export interface Member {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

const BACKOFF_MS = { first: 200, most: 5_000 };
/** Less than the launcher's own bound (run-main): it must live to kill what does not leave. */
const DRAIN_MS = 12_000;

/** Runs members as processes, starts a dead one again as compose would, keeps `processes.json` (name → pid) for whoever wants to kill one. */
export function createFleet(data_dir: string) {
  const running = new Map<string, ChildProcess>();
  let leaving = false;

  // The terminal no longer ends them for us: whoever leaves without a stop (a second Ctrl-C, a drain too long) still asks them to go.
  process.once('exit', () => {
    leaving = true;
    for (const child of running.values()) child.kill('SIGTERM');
  });

  const publish = () => {
    const file = join(data_dir, 'processes.json');
    writeFileSync(
      `${file}.new`,
      JSON.stringify(Object.fromEntries([...running].map(([name, child]) => [name, child.pid])), null, 2),
    );
    renameSync(`${file}.new`, file);
  };

  function launch(member: Member, backoff_ms: number): void {
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, ['--enable-source-maps', member.script, ...(member.args ?? [])], {
      env: { PATH, HOME, ...member.env },
      stdio: ['ignore', 'ignore', 'inherit'],
      // A process group of its own: Ctrl-C in the terminal reaches the launcher, which asks each once, and not each of them as well.
      detached: true,
    });
    running.set(member.name, child);
    publish();
    const began = Date.now();
    child.once('exit', () => {
      running.delete(member.name);
      if (leaving) return;
      publish();
      const next = Date.now() - began > 10_000 ? BACKOFF_MS.first : Math.min(backoff_ms * 2, BACKOFF_MS.most);
      setTimeout(() => leaving || launch(member, next), backoff_ms);
    });
  }

  return {
    start: (member: Member) => launch(member, BACKOFF_MS.first),
    /** Asks all to drain at once; kills what has not left within 12 s. */
    async stop(): Promise<void> {
      leaving = true;
      const exits = [...running.values()].map(
        (child) => new Promise((resolve) => child.once('exit', resolve)),
      );
      for (const child of running.values()) child.kill('SIGTERM');
      const timer = setTimeout(() => {
        for (const child of running.values()) child.kill('SIGKILL');
      }, DRAIN_MS);
      await Promise.all(exits);
      clearTimeout(timer);
    },
  };
}
