import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { createInProcessBroker } from '@adaos/bus/in-process';
import { subjectOf, type HubReport } from '@adaos/contracts';
import { randomIds, silentLog, systemClock, type Log } from '@adaos/runtime';
import { isReady } from './probes/ready-probe.js';
import { startReports } from './report.js';
import { openSkill } from './skill.js';
import { Supervisor } from './supervisor/supervisor.js';
import { until } from './until.fixture.js';

jest.setTimeout(30_000);
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Reports of a hub without services; root is in the test's hands, and away until `serve` is called. */
async function reporting(heartbeat_ms = 300_000) {
  let tries = 0;
  const clock = { ...systemClock, iso: () => ((tries += 1), systemClock.iso()) };
  const dir = mkdtempSync(join(tmpdir(), 'report-'));
  const broker = createInProcessBroker();
  const skill = await openSkill(dir, silentLog);
  const limits = { max_concurrency: 1, max_output_bytes: 4_096, log_file_bytes: 4_096 };
  const supervisor = new Supervisor({
    config: { services: [], limits },
    data_dir: dir,
    clock: systemClock,
    log: silentLog,
    isReady,
  });
  const sent: HubReport[] = [];
  const said: string[] = [];
  const note = (level: string) => (_fields: unknown, text: string) => void said.push(`${level}: ${text}`);
  const log = { info: note('info'), warn: note('warn') } as unknown as Log;
  const bus = broker.connect('hub', 'hub-1');
  const stop = startReports({
    bus,
    clock,
    ids: randomIds,
    log,
    hub_id: 'hub-1',
    heartbeat_ms,
    skill,
    supervisor,
  });
  ends.push(async () => {
    await stop();
    await broker.close();
    rmSync(dir, { recursive: true });
  });
  const serve = (answer: (n: number) => unknown) =>
    broker
      .connect('router')
      .serve(subjectOf('hub_report', '*'), { queue: 'router', max_concurrency: 5 }, async (body) => {
        sent.push(body as HubReport);
        return answer(sent.length);
      });
  return { sent, said, skill, serve, tries: () => tries };
}

test('while root is away it goes on trying, and says so once per change', async () => {
  const { sent, said, serve, tries } = await reporting();
  await until(() => tries() >= 3);
  const root = serve(() => ({}));
  await until(() => said.at(-1)?.startsWith('info'));
  expect(said).toEqual(['warn: root can not be reached; going on', 'info: root is reached']);
  expect(sent[0]!.cursor).toBeGreaterThanOrEqual(3);
  await root.stop();
});

test('a flood of changes becomes few reports, the last of them after the last change', async () => {
  const { sent, skill, serve } = await reporting();
  serve(() => ({}));
  await until(() => sent.length === 1);
  const began = performance.now();
  for (let i = 0; i < 50; i++) await skill.adopt(i % 2 ? 'disabled' : 'enabled');
  await skill.adopt('enabled');
  await until(() => sent.at(-1)!.skill.state === 'enabled' && sent.at(-1)!.capabilities.length > 0);
  // One at the start, then at most one in 100 ms.
  expect(sent.length).toBeLessThanOrEqual(3 + (performance.now() - began) / 100);
});

test('one report at a time; a change meanwhile is told afterwards', async () => {
  const { sent, skill, serve } = await reporting();
  let answer: () => void = () => undefined;
  serve((n) => (n === 1 ? new Promise<void>((resolve) => (answer = resolve)) : {}));
  await until(() => sent.length === 1);
  await skill.adopt('disabled');
  await skill.adopt('enabled');
  expect(sent).toHaveLength(1);
  answer();
  await until(() => sent.length === 2);
  expect(sent[1]).toMatchObject({
    cursor: sent[0]!.cursor + 1,
    epoch: sent[0]!.epoch,
    skill: { state: 'enabled' },
  });
});

test("root's word is adopted, unless root has said something newer meanwhile", async () => {
  const { sent, skill, serve } = await reporting();
  let answer: (value: unknown) => void = () => undefined;
  serve((n) =>
    n === 1 ? { skill: { state: 'enabled' } } : n === 2 ? new Promise((resolve) => (answer = resolve)) : {},
  );
  await until(() => skill.view().state === 'enabled' && sent.length === 2);
  // Root disables by control while its answer to an older report is still on the way.
  await skill.adopt('disabled');
  answer({ skill: { state: 'enabled' } });
  await until(() => sent.length === 3);
  expect([skill.view().state, sent[2]!.skill.state]).toEqual(['disabled', 'disabled']);
});

test('root may ask for another heartbeat', async () => {
  const { sent, serve } = await reporting();
  serve(() => ({ heartbeat_ms: 30 }));
  await until(() => sent.length >= 4);
});

test('an answer that makes no sense is left aside', async () => {
  const { sent, said, skill, serve } = await reporting(30);
  const answers = [
    { heartbeat_ms: 0 },
    { heartbeat_ms: 'x' },
    null,
    'x',
    { skill: 5 },
    { skill: { state: 'on' } },
  ];
  serve((n) => answers[n - 1] ?? {});
  await until(() => sent.length >= 8);
  expect(skill.view().state).toBe('missing');
  expect(said).toContain('warn: root named a skill state that is none');
});
