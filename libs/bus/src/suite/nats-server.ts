import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';

/** Debian, the official image, a build by hand. */
const PATHS = ['/usr/sbin/nats-server', '/usr/local/bin/nats-server', '/usr/bin/nats-server', '/nats-server'];
const binary = PATHS.find((path) => existsSync(path));

/** Runs `register` where a nats-server is installed. Elsewhere says so, or fails when REQUIRE_NATS=1: CI must not pass for lack of a server. */
export function natsServerLeg(register: () => void): void {
  if (binary) return register();
  const missing = `no nats-server in ${PATHS.join(', ')}`;
  if (process.env.REQUIRE_NATS === '1') {
    test('a nats-server is installed', () => {
      throw new Error(missing);
    });
  } else console.info(`${missing}: the NATS tests are not part of this run`);
}

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Kills the process; `restart` brings it back on the same port with the same stored data. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Kills it and removes its data. */
  stop(): Promise<void>;
}

interface Source {
  /** Text of a configuration for this store directory and port; default: JetStream, no users. */
  readonly config?: (jetstream_dir: string, port: number) => string;
  /** What `$VAR` in the configuration stands for. */
  readonly variables?: Readonly<Record<string, string>>;
}

const openConfig = (dir: string, port: number) =>
  `port: ${port}\nhost: "127.0.0.1"\njetstream { store_dir: "${dir}" }\n`;

/** A server of its own on a free port, with JetStream in a temporary directory. Throws when it doesn't start within 10 s. */
export async function startNatsServer({
  config = openConfig,
  variables = {},
}: Source = {}): Promise<NatsServer> {
  const dir = await mkdtemp(join(tmpdir(), 'adaos-nats-'));
  const file = join(dir, 'nats.conf');
  let running: { port: number; kill(): Promise<void> };

  async function start(port: number): Promise<void> {
    await writeFile(file, config(join(dir, 'jetstream'), port));
    running = await spawnServer(file, variables);
  }
  await start(-1).catch(async (error: unknown) => {
    await rm(dir, { recursive: true, force: true });
    throw error;
  });
  const { port } = running!;
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    kill: () => running.kill(),
    restart: () => start(port),
    async stop() {
      await running.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function spawnServer(file: string, env: Readonly<Record<string, string>>) {
  const child = spawn(binary!, ['-c', file], { env: { ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nats-server is not ready: ${output}`)), 10_000);
    child.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-16_000);
      const listening = /client connections on \S+:(\d+)/.exec(output);
      if (!listening || !output.includes('Server is ready')) return;
      clearTimeout(timer);
      resolve(Number(listening[1]));
    });
    void exited.then(() => reject(new Error(`nats-server ended: ${output}`)));
  });
  return {
    port,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
