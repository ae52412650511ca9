import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface ClientOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A person's machine as one client sees it: a home and a project folder of its own, and nothing else of this machine's. */
export interface Desk {
  readonly home: string;
  readonly project: string;
  /** Puts a text where the client looks for it; `~/` is the home, all else is below the project. */
  write(file: string, text: string): string;
  clear(): void;
}

export function desk(): Desk {
  const root = mkdtempSync(join(tmpdir(), 'client-'));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  for (const dir of [home, project]) mkdirSync(dir);
  return {
    home,
    project,
    write(file, text) {
      const path = file.startsWith('~/') ? join(home, file.slice(2)) : join(project, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
    // A client's helpers may still be writing while they die.
    clear: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/** Milliseconds any client may take; the slowest one seen took two seconds. */
const CLIENT_DEADLINE_MS = 45_000;

interface Started {
  readonly desk: Desk;
  /** The whole environment besides HOME and PATH: an account or a proxy of the person who runs the tests must not reach a client. */
  readonly env?: Record<string, string>;
  readonly path?: string;
  readonly cwd?: string;
}

/** Starts a client in a process group of its own, which is killed whole at the deadline and once it is done with. */
export function startClient(command: string, args: readonly string[], options: Started) {
  const { desk: at, env, path = '/usr/local/bin:/usr/bin:/bin', cwd = at.project } = options;
  const child = spawn(command, args, {
    cwd,
    env: { PATH: path, HOME: at.home, NO_COLOR: '1', ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  // A client that ended does not read what is still written to it.
  child.stdin.on('error', () => undefined);
  const timer = setTimeout(() => killGroup(child), CLIENT_DEADLINE_MS);
  const closed = new Promise<number | null>((done) => {
    child.once('error', (error) => {
      output.stderr += String(error);
      done(null);
    });
    child.once('close', done);
  }).finally(() => {
    clearTimeout(timer);
    killGroup(child);
  });
  return { child, output, closed, kill: () => killGroup(child) };
}

/** Runs a client to its end with nothing on its standard input. A client killed at the deadline has the code null. */
export async function runClient(
  command: string,
  args: readonly string[],
  options: Started,
): Promise<ClientOutput> {
  const { child, output, closed } = startClient(command, args, options);
  child.stdin.end();
  const code = await closed;
  return { code, ...output };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}
