import { build, stop as stopBuilding } from 'esbuild';
import { expect } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectStore } from '../connect.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../embedded.js';
import { processFacts, type Run } from './process.js';

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export type OnExit = (end: { code: number | null; signal: string | null }) => void;

/** Directories, servers and processes of one test file, with their end. */
export function embeddedLab() {
  const bundle = join(project, 'dist', `launcher-${process.pid}.mjs`);
  const bases: string[] = [];
  const servers: EmbeddedPostgres[] = [];
  const children: ChildProcess[] = [];
  const orphans: number[] = [];
  return {
    servers,
    children,
    /** A new directory that only its owner may enter. */
    async dir(): Promise<string> {
      const base = await mkdtemp(join(tmpdir(), 'store-embedded-'));
      bases.push(base);
      return base;
    },
    async start(data_dir: string, onExit?: OnExit): Promise<EmbeddedPostgres & { log: string[] }> {
      const log: string[] = [];
      const server = await startEmbeddedPostgres({ data_dir, log: (line) => log.push(line), onExit });
      servers.push(server);
      return { ...server, log };
    },
    /** A launcher in a process of its own, as the zone is; answers once its server runs. */
    async startElsewhere(data_dir: string): Promise<{ child: ChildProcess; url: string; pid: number }> {
      const entry = join(project, 'src', 'embedded.ts');
      await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile: bundle });
      const script = `
        import { startEmbeddedPostgres } from ${JSON.stringify(bundle)};
        const { url, pid } = await startEmbeddedPostgres({ data_dir: process.argv[1], log: () => {} });
        console.log(JSON.stringify({ url, pid }));`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, data_dir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      for await (const line of createInterface({ input: child.stdout })) {
        const { url, pid } = JSON.parse(line) as { url: string; pid: number };
        orphans.push(pid);
        return { child, url, pid };
      }
      throw new Error('the launcher ended');
    },
    async endAll(): Promise<void> {
      await Promise.all(servers.splice(0).map((server) => server.stop()));
      for (const child of children.splice(0)) child.kill('SIGKILL');
      // What a killed launcher leaves behind.
      for (const pid of orphans.splice(0)) if (await alive(pid)) process.kill(pid, 'SIGQUIT');
    },
    async removeAll(): Promise<void> {
      await stopBuilding();
      await Promise.all(
        [...bases.splice(0), bundle].map((path) => rm(path, { recursive: true, force: true })),
      );
    },
  };
}

export const query = async (server: { url: string }, text: string) => {
  const store = connectStore({
    url: server.url,
    schema: 'public',
    max: 1,
    application_name: 'case',
    statement_timeout_ms: 5_000,
  });
  return store.sql.unsafe(text).finally(() => store.close());
};

/** The sentence with which a start is refused. */
export const refusal = async (data_dir: string, deps?: { package_dir: string }): Promise<string> => {
  const error = await startEmbeddedPostgres({ data_dir, log: () => {} }, deps).then(
    () => new Error('it started'),
    (reason: Error) => reason,
  );
  expect(error.name).toBe('StoreStartError');
  // One sentence: no line break, a full stop at the end.
  expect(error.message).toMatch(/^[^\n]+\.$/);
  return error.message;
};

/** Runs commands for real, except that user namespaces are forbidden, as they are in many containers. */
export const runWithoutNamespaces: Run = (argv, options = {}) =>
  new Promise((done) => {
    if (argv[0] === 'unshare')
      return done({ code: 1, stdout: '', stderr: 'unshare: Operation not permitted' });
    let stdout = '';
    const child = spawn(String(argv[0]), argv.slice(1), { cwd: '/', ...options });
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.once('error', (error: NodeJS.ErrnoException) =>
      done({ code: null, stdout, stderr: '', fault: error.code }),
    );
    child.once('close', (code) => done({ code, stdout, stderr: '' }));
  });

export const alive = async (pid: number | undefined): Promise<boolean> =>
  (await processFacts(pid ?? -1, runWithoutNamespaces)) !== null;

/** Waits for the end of a process, ten seconds at most. */
export const gone = async (pid: number | undefined): Promise<void> => {
  for (const until = Date.now() + 10_000; await alive(pid);) {
    if (Date.now() > until) throw new Error(`process ${pid} does not end`);
  }
};

export const ownerOf = async (path: string) => stat(path).then(({ uid, gid }) => ({ uid, gid }));
