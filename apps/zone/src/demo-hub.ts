import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';

/** The scripts of the demo services, plain Node programs. */
const SCRIPTS = resolve('apps/zone/demo-hub');

/**
 * Lays out a real test hub in a directory: two services under the agent's supervisor, health checks, log files with planted secrets.
 * Answers the path of its agent configuration.
 */
export async function layOutDemoHub(dir: string, hub_id: string, heartbeat_ms: number): Promise<string> {
  const logs = join(dir, 'logs');
  mkdirSync(logs, { recursive: true });
  const port = await freePort();
  const web_log = join(logs, 'web.log');
  const config = {
    hub_id,
    heartbeat_ms,
    disk_path: dir,
    services: [
      service('web', dir, ['web.mjs', String(port), web_log], { http: `http://127.0.0.1:${port}/health` }),
      service('worker', dir, ['worker.mjs', join(logs, 'worker.log')]),
    ],
    health_checks: [
      {
        name: 'web',
        kind: 'http',
        url: `http://127.0.0.1:${port}/health`,
        expect_status: 200,
        timeout_ms: 2_000,
      },
      { name: 'web-port', kind: 'tcp', host: '127.0.0.1', port, timeout_ms: 2_000 },
      { name: 'worker', kind: 'service', service: 'worker', timeout_ms: 1_000 },
    ],
    log_roots: [logs],
    log_sources: [
      { name: 'web', kind: 'file', path: web_log },
      { name: 'worker', kind: 'file', path: join(logs, 'worker.log') },
      { name: 'web-output', kind: 'service', service: 'web' },
    ],
    limits: { max_concurrency: 16, max_output_bytes: 262_144 },
  };
  const file = join(dir, 'agent.yaml');
  writeFileSync(
    file,
    `# The demo test hub. Written at each start; port and paths are its own.\n${stringify(config)}`,
  );
  return file;
}

const service = (name: string, cwd: string, argv: string[], ready?: { http: string }) => ({
  name,
  argv: [process.execPath, join(SCRIPTS, argv[0]!), ...argv.slice(1)],
  cwd,
  restart: { max_restarts: 5, backoff_ms: 200 },
  observe_ms: 500,
  ...(ready && { ready }),
});

/** A port that was free a moment ago; the demo service says so in its log if it is taken meanwhile. */
function freePort(): Promise<number> {
  return new Promise((resolve_, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve_(port));
    });
  });
}
