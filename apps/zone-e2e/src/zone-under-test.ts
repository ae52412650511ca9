import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface Connection {
  root_url: string;
  /** Of every facade; absent where there is one. */
  root_urls?: string[];
  mcp_url: string;
  console_url: string;
  zone: string;
  target_id: string;
  subnet_id: string;
  bearer: string;
  operator_token: string;
  pid: number;
}

/** A running zone as a black box: what its start wrote down, and the power to kill its processes. */
export interface ZoneUnderTest {
  readonly topology: 'embedded' | 'split';
  readonly data_dir: string;
  readonly connection: () => Connection;
  /** The root URL of a facade, another one each time: whoever needs the same one twice asks once. */
  readonly facade: () => string;
  /** Names and pids of its processes now. */
  readonly processes: () => Record<string, number>;
  /** All that its processes wrote to stdout and stderr so far. */
  readonly output: () => string;
  /** Rows of a query on the zone's own schema, for looking behind the API. */
  readonly sql: <T>(query: string) => Promise<T[]>;
  /** Starts the same zone again on the same data after a kill (embedded). */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<number | null>;
}

export const REPO = resolve(new URL('../../..', import.meta.url).pathname);

/** Waits until `probe` answers something other than undefined; the deadline is the only clock in a test. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  timeout_ms = 30_000,
  every_ms = 25,
): Promise<T> {
  const deadline = Date.now() + timeout_ms;
  for (;;) {
    const found = await Promise.resolve(probe());
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${timeout_ms} ms for ${what}`);
    await new Promise((done) => setTimeout(done, every_ms));
  }
}

export interface LaunchOptions {
  readonly script: string;
  readonly topology: ZoneUnderTest['topology'];
  readonly env: Record<string, string>;
  readonly database: (data_dir: string) => Promise<{ query: <T>(text: string) => Promise<T[]> }>;
  /** Called once after the zone stopped. */
  readonly cleanUp?: () => Promise<void>;
}

/** Starts a zone from its built program and waits until it wrote its connection. */
export async function launch(options: LaunchOptions): Promise<ZoneUnderTest> {
  const data_dir = mkdtempSync(join(tmpdir(), `zone-${options.topology}-`));
  let output = '';
  let child: ChildProcess | undefined;

  const start = async () => {
    rmSync(join(data_dir, 'connection.json'), { force: true });
    const { PATH, HOME } = process.env;
    const started = spawn(process.execPath, [join(REPO, options.script)], {
      cwd: REPO,
      env: {
        PATH,
        HOME,
        ZONE_PORT: '0',
        ZONE_DATA_DIR: data_dir,
        HEARTBEAT_MS: '500',
        NO_COLOR: '1',
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until(
      'the zone to start',
      () => {
        if (started.exitCode !== null || started.signalCode !== null)
          throw new Error(`the zone ended at start:\n${output.slice(-4_000)}`);
        return existsSync(join(data_dir, 'connection.json')) || undefined;
      },
      90_000,
    );
  };

  try {
    await start();
  } catch (error) {
    child?.kill('SIGKILL');
    await options.cleanUp?.();
    throw error;
  }
  const connection = () => JSON.parse(readFileSync(join(data_dir, 'connection.json'), 'utf8')) as Connection;
  const database = await options.database(data_dir);
  let turn = 0;
  return {
    topology: options.topology,
    data_dir,
    connection,
    facade() {
      const { root_url, root_urls = [root_url] } = connection();
      return root_urls[turn++ % root_urls.length]!;
    },
    processes() {
      const file = join(data_dir, 'processes.json');
      return existsSync(file)
        ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>)
        : { zone: child?.pid ?? 0 };
    },
    output: () => output,
    sql: (query) => database.query(query),
    start,
    async stop() {
      const running = child;
      if (running && running.exitCode === null && running.signalCode === null) {
        running.kill('SIGINT');
        await new Promise((done) => running.once('exit', done));
      }
      await options.cleanUp?.();
      rmSync(data_dir, { recursive: true, force: true });
      return running?.exitCode ?? null;
    },
  };
}
