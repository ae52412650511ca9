import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { ExecReply } from '@adaos/contracts';
import { statOf } from './supervisor/process-identity.js';
import { until } from './until.fixture.js';

jest.setTimeout(90_000);
const here = fileURLToPath(new URL('.', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'bundle-'));
const bundle = join(out, 'hub.mjs');
beforeAll(() => {
  // CommonJS packages in an ES module bundle ask for `require`.
  const require =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  execFileSync(resolve(here, '../../../node_modules/esbuild/bin/esbuild'), [
    join(here, 'hub-process.fixture.ts'),
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--log-level=error',
    `--banner:js=${require}`,
    `--outfile=${bundle}`,
  ]);
});
afterAll(() => rmSync(out, { recursive: true }));

const dirs: string[] = [];
const processes: ChildProcess[] = [];
afterEach(async () => {
  for (const child of processes.splice(0)) {
    if (child.connected) child.disconnect();
    await until(() => child.exitCode !== null || child.signalCode !== null, 20_000);
  }
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

async function hubProcess(dir: string) {
  // Only what Node itself needs: the environment of the test run is no part of the hub.
  const child = fork(bundle, [dir], {
    env: {},
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  processes.push(child);
  const replies = new Map<number, ExecReply>();
  let ready = false;
  child.on('message', (message: { ready?: true; id?: number; reply?: ExecReply }) => {
    if (message.ready) ready = true;
    else replies.set(message.id!, message.reply!);
  });
  await until(() => ready, 30_000);
  let next = 0;
  const send = (tool_id: string, args: object, request_id: string) => {
    const id = next++;
    child.send({ id, tool_id, args, request_id });
    return () => replies.get(id);
  };
  return {
    send,
    call: (tool_id: string, args: object, request_id: string) => {
      const reply = send(tool_id, args, request_id);
      return until(reply, 30_000);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await until(() => child.signalCode === 'SIGKILL');
    },
  };
}
type HubProcess = Awaited<ReturnType<typeof hubProcess>>;

const lines = (file: string) =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
const isGone = (pid: number) => [null, 'Z'].includes(statOf(pid)?.state ?? null);
/** Pid of the service as the hub tells it, once the service itself has noted it. */
const runningPid = (hub: HubProcess, starts: () => string[]) =>
  until(async () => {
    const { result } = await hub.call('hub.get_status', {}, 'read');
    const pid = String((result as { services: { pid: number | null }[] }).services[0]!.pid);
    return starts().includes(pid) ? pid : null;
  }, 20_000);
const enabled = (hub: HubProcess) =>
  until(async () => (await hub.call('hub.get_status', {}, 'read')).status === 'succeeded', 20_000);

describe('kill -9 of the agent during a restart', () => {
  test.each([
    ['when the write is begun', (dir: string) => lines(join(dir, 'data/journal.ndjson')).length > 0],
    ['when the service was started again', (dir: string) => lines(join(dir, 'web.starts')).length === 2],
  ])(
    '%s: it is never done again, its outcome is told as indeterminate, nothing of it is left running',
    async (_name, moment) => {
      const dir = mkdtempSync(join(tmpdir(), 'kill-'));
      dirs.push(dir);
      const starts = () => lines(join(dir, 'web.starts'));
      const first = await hubProcess(dir);
      await until(() => starts().length === 1);
      await enabled(first);
      first.send('hub.restart_service', { service: 'web' }, 'r1');
      await until(() => moment(dir));
      await first.kill();
      const journaled = lines(join(dir, 'data/journal.ndjson'));
      expect(journaled.map((line) => (JSON.parse(line) as { phase: string }).phase)).toEqual(['begin']);

      const second = await hubProcess(dir);
      await enabled(second);
      const now = await runningPid(second, starts);
      // The services came up once with the agent; what the dead agent had started is gone.
      const settled = starts();
      expect(settled.length).toBeLessThanOrEqual(3);
      for (const pid of settled) if (pid !== now) await until(() => isGone(Number(pid)));
      for (let repeat = 0; repeat < 2; repeat++) {
        expect(await second.call('hub.restart_service', { service: 'web' }, 'r1')).toMatchObject({
          status: 'failed',
          replayed: true,
          error: { code: 'adapter_failed', details: { outcome: 'indeterminate' } },
        });
      }
      expect(await runningPid(second, starts)).toBe(now);
      expect(starts()).toEqual(settled);
      // Another request is another write.
      expect(await second.call('hub.restart_service', { service: 'web' }, 'r2')).toMatchObject({
        status: 'succeeded',
        result: { healthy: true },
      });
      expect(starts()).toHaveLength(settled.length + 1);
    },
  );

  test('after it has ended: the first result is kept', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'kill-'));
    dirs.push(dir);
    const starts = () => lines(join(dir, 'web.starts'));
    const first = await hubProcess(dir);
    await enabled(first);
    const reply = await first.call('hub.restart_service', { service: 'web' }, 'r1');
    expect(reply).toMatchObject({ status: 'succeeded' });
    await first.kill();
    const second = await hubProcess(dir);
    await enabled(second);
    const now = await runningPid(second, starts);
    const settled = starts();
    expect(await second.call('hub.restart_service', { service: 'web' }, 'r1')).toEqual({
      ...reply,
      replayed: true,
    });
    expect(await runningPid(second, starts)).toBe(now);
    expect(starts()).toEqual(settled);
  });
});
