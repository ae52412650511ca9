// npm run bench -- policy [rounds]: microseconds of one decision, cold and remembered, by the guards alone and with zone policies beside
// them. Arms take turns in every round; medians over the rounds are told, with the p99 of all samples.
import {
  compilePolicySet,
  createDecider,
  memoKey,
  readGuards,
  sampleFacts,
  type Decide,
} from '@adaos/policy-engine';

const ROUNDS = Number(process.argv[2] ?? 7);
const COLD = 200;
const REMEMBERED = 2_000;
const ZONE_RULES = [0, 20, 100];

const rule = (n: number) => `@id("zone.r${n}") @code("forbidden") @rank("${100 + n}") @explain("x")
forbid (principal is Adaos::Grant, action == Adaos::Action::"call", resource is Adaos::Tool)
when { context has target && context.target.target_id == "hub:lab-${n}" && resource.tool_id like "hub.*" };`;

const FACTS = {
  'read by a lease': sampleFacts('hub.get_status', { profile: 'InfraOpsRead' }),
  'write by a lease': sampleFacts('hub.restart_service', { profile: 'InfraOpsControl' }),
  'read by an admin': sampleFacts('hub.get_status', { role: 'admin' }),
};

interface Arm {
  readonly name: string;
  readonly calls: number;
  readonly run: () => unknown;
  readonly rounds: number[];
  readonly all: number[];
}

const guards = readGuards('deploy/policies');
const arms: Arm[] = [];
const arm = (name: string, calls: number, run: () => unknown) =>
  arms.push({ name, calls, run, rounds: [], all: [] });

for (const count of ZONE_RULES) {
  const text = Array.from({ length: count }, (_, n) => rule(n)).join('\n');
  const began = performance.now();
  const set = compilePolicySet({ ...guards, zone: count ? [{ name: 'zone', text }] : [] });
  console.error(`${set.rules.size} rules compiled in ${(performance.now() - began).toFixed(1)} ms`);
  const cold: Decide = createDecider(set, { memo_size: 0 });
  const remembering: Decide = createDecider(set, { memo_size: 1_000 });
  for (const [who, facts] of Object.entries(FACTS)) {
    arm(`${who}, ${set.rules.size} rules, cold`, COLD, () => cold(facts));
    if (count === 0) arm(`${who}, remembered`, REMEMBERED, () => remembering(facts));
  }
}
for (const [who, facts] of Object.entries(FACTS)) {
  arm(`${who}, key alone (canonical)`, REMEMBERED, () => memoKey(facts));
}

const quantile = (values: number[], q: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? 0;

for (const one of arms) for (let n = 0; n < 50; n++) one.run();
for (let round = 0; round < ROUNDS; round++) {
  // Each round begins with another arm, so that a slow minute of the machine does not always hit the same one.
  for (let turn = 0; turn < arms.length; turn++) {
    const one = arms[(round + turn) % arms.length]!;
    const samples: number[] = [];
    for (let n = 0; n < one.calls; n++) {
      const began = performance.now();
      one.run();
      samples.push((performance.now() - began) * 1_000);
    }
    one.rounds.push(quantile(samples, 0.5));
    one.all.push(...samples);
  }
}

console.log('| decision | median µs | p99 µs |\n|---|---|---|');
for (const { name, rounds, all } of arms)
  console.log(`| ${name} | ${quantile(rounds, 0.5).toFixed(1)} | ${quantile(all, 0.99).toFixed(1)} |`);
