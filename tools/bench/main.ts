// node dist/tools/bench/main.mjs [rounds] [seconds]: governed reads per second, embedded and split, beside a bare node:http echo in the
// same run. Arms take turns, medians are told, every body is checked. Read the ratios: machines are noisy.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { lease } from '../../apps/zone-e2e/src/api.js';
import { launchEmbedded } from '../../apps/zone-e2e/src/embedded-zone.js';
import { launchSplit } from '../../apps/zone-e2e/src/split-zone.js';
import type { ZoneUnderTest } from '../../apps/zone-e2e/src/zone-under-test.js';

const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 5);
const CONNECTIONS = [1, 16, 32];
/** Many leases, as many clients would have: one alone is held to the rate of its contract. */
const LEASES = 400;

interface Arm {
  readonly name: string;
  readonly url: string;
  readonly bearers: readonly string[];
}
interface Sample {
  readonly arm: string;
  readonly connections: number;
  readonly per_second: number;
  readonly p50: number;
  readonly p99: number;
  readonly wrong: number;
}

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'hub_get_status', arguments: {} },
});
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};

async function measure({ name, url, bearers }: Arm, connections: number, seconds: number): Promise<Sample> {
  const requests = bearers.map((bearer) => ({
    method: 'POST' as const,
    headers: { ...HEADERS, authorization: `Bearer ${bearer}` },
    body: BODY,
  }));
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests,
    verifyBody: (body) => String(body).includes('"hub_id":"demo"'),
  });
  const wrong =
    result.non2xx +
    result.errors +
    result.timeouts +
    (result as unknown as { mismatches: number }).mismatches;
  return {
    arm: name,
    connections,
    per_second: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    wrong,
  };
}

async function armOf(name: string, zone: ZoneUnderTest): Promise<Arm> {
  const bearers: string[] = [];
  for (let i = 0; i < LEASES; i += 20) {
    const some = await Promise.all(Array.from({ length: 20 }, () => lease(zone, 'InfraOpsRead')));
    bearers.push(...some.map(({ bearer }) => bearer));
  }
  return { name, url: zone.connection().mcp_url, bearers };
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function report(samples: readonly Sample[]): string {
  const lines = [
    '| arm | connections | calls/s | ratio to echo | p50 ms | p99 ms | wrong |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const connections of CONNECTIONS) {
    const at = (arm: string) => samples.filter((s) => s.arm === arm && s.connections === connections);
    const echo = median(at('echo').map((s) => s.per_second));
    for (const arm of new Set(samples.map((s) => s.arm))) {
      const of = (pick: (s: Sample) => number) => median(at(arm).map(pick));
      const rate = of((s) => s.per_second);
      const wrong = at(arm).reduce((sum, s) => sum + s.wrong, 0);
      lines.push(
        `| ${arm} | ${connections} | ${rate.toFixed(0)} | ${(rate / echo).toFixed(3)} | ${of((s) => s.p50)} | ${of((s) => s.p99)} | ${wrong} |`,
      );
    }
  }
  return lines.join('\n');
}

const echo = spawn(process.execPath, ['tools/bench/echo.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [port] = (await once(echo.stdout, 'data')) as [Buffer];
const zones = [await launchEmbedded(), await launchSplit()];
const arms: Arm[] = [
  { name: 'echo', url: `http://127.0.0.1:${port.toString().trim()}/`, bearers: ['none'] },
  await armOf('embedded', zones[0]!),
  await armOf('split', zones[1]!),
];
const samples: Sample[] = [];
for (let round = 0; round < ROUNDS; round++) {
  for (const connections of CONNECTIONS) {
    // Each round begins with another arm, so that a slow minute of the machine does not always hit the same one.
    for (let turn = 0; turn < arms.length; turn++) {
      const arm = arms[(round + turn) % arms.length]!;
      if (round === 0) await measure(arm, connections, 1);
      samples.push(await measure(arm, connections, SECONDS));
      process.stderr.write(
        `round ${round + 1}/${ROUNDS} ${arm.name} c${connections} ${samples.at(-1)!.per_second.toFixed(0)}/s\n`,
      );
    }
  }
}
console.log(report(samples));
echo.kill();
for (const zone of zones) await zone.stop();
