// node dist/tools/bench/revocation.mjs [revocations]: how long a revoked lease is served on three facades and three routers, and how long a
// write that runs goes on. Read the percentiles beside the time the revoke itself took: machines are noisy.
import { setTimeout as pause } from 'node:timers/promises';
import { targetIdOf } from '@adaos/contracts';
import { callTool, lease, rest } from '../../apps/zone-e2e/src/api.js';
import { launchSplit, type SplitZone } from '../../apps/zone-e2e/src/split-zone.js';
import { playProbe } from '../../apps/zone-e2e/src/probe-hub.js';

const REVOCATIONS = Number(process.argv[2] ?? 200);
const REPLICAS = 3;
const SERVED = 'operations.get_managed_target';
/** Calls in a row that must all be refused before a loop believes that every router knows. */
const ENOUGH = 4;
/** Milliseconds between the calls of a loop: what is measured is the way of the revocation, not a machine under full load. */
const PAUSE_MS = 5;
/** Milliseconds a revocation takes at least: a source that is refused too often in a minute is not heard any more. */
const PACE_MS = 750;

interface Sample {
  readonly sent_ms: number;
  readonly got_ms: number;
  readonly served: boolean;
}

/** Calls in a steady row until all answers are refusals for long enough. Times are from the moment the revoke was sent. */
async function hammer(zone: SplitZone, bearer: string, since: () => number, revoked: () => boolean) {
  const samples: Sample[] = [];
  for (let refused = 0; !revoked() || refused < ENOUGH;) {
    const sent_ms = since();
    const { ok, error } = await callTool(zone, bearer, SERVED);
    if (!ok && error?.code !== 'lease_revoked') throw new Error(`unexpected answer: ${error?.code}`);
    samples.push({ sent_ms, got_ms: since(), served: ok });
    refused = ok ? 0 : refused + 1;
    await pause(PAUSE_MS);
  }
  return samples;
}

/** One lease, used on every replica, taken back in the middle. */
async function denied(zone: SplitZone) {
  const { bearer, session } = await lease(zone, 'InfraOpsRead');
  await Promise.all(Array.from({ length: 10 * REPLICAS }, () => callTool(zone, bearer, SERVED)));
  let began = Infinity;
  let answered = false;
  const since = () => performance.now() - began;
  // Each call goes to the next facade, so each loop walks them all.
  const loops = Array.from({ length: REPLICAS }, () => hammer(zone, bearer, since, () => answered));
  began = performance.now();
  await rest(zone)('POST', `/sessions/${session.session_id}/revoke`, { reason: 'bench' });
  const answered_ms = since();
  answered = true;
  const samples = (await Promise.all(loops)).flat();
  const served = samples.filter((sample) => sample.served && sample.got_ms > 0);
  return {
    revoke_ms: answered_ms,
    first_denied_ms: Math.min(...samples.filter((s) => !s.served).map((s) => s.got_ms)),
    /** Sent when the last call was sent that was still served by any replica; 0 when none was after the revoke went out. */
    last_served_ms: Math.max(0, ...served.map((s) => s.sent_ms)),
    served_after: served.filter((s) => s.sent_ms > answered_ms).length,
  };
}

/** A write that would run for ever, taken back. */
async function fenced(zone: SplitZone, probe: Awaited<ReturnType<typeof playProbe>>) {
  const { bearer, session } = await lease(zone, 'InfraOpsControl', { target_id: targetIdOf(probe.hub_id) });
  const pending = callTool(zone, bearer, 'hub.restart_service', { service: 'web' });
  const running = await probe.next();
  const began = performance.now();
  const told = running.told.then(() => performance.now() - began);
  const answered = pending.then((answer) => ({ answer, ms: performance.now() - began }));
  await rest(zone)('POST', `/sessions/${session.session_id}/revoke`, { reason: 'bench' });
  const [told_ms, { answer, ms }] = await Promise.all([told, answered]);
  running.end();
  if (answer.error?.code !== 'lease_revoked' || answer.result !== undefined)
    throw new Error(`the caller got ${JSON.stringify(answer)}`);
  return { told_ms, answered_ms: ms };
}

const at = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(values.length * share) - 1)]!;
const line = (name: string, values: readonly number[]) =>
  `| ${name} | ${[0.5, 0.99, 1].map((share) => at(values, share).toFixed(1)).join(' | ')} |`;

const zone = await launchSplit({ replicas: REPLICAS, facades: REPLICAS });
try {
  const probe = await playProbe(zone);
  const denials: Awaited<ReturnType<typeof denied>>[] = [];
  for (let n = 0; n < REVOCATIONS; n++) denials.push((await Promise.all([denied(zone), pause(PACE_MS)]))[0]);
  const fences: Awaited<ReturnType<typeof fenced>>[] = [];
  for (let n = 0; n < REVOCATIONS; n++) fences.push(await fenced(zone, probe));
  await probe.stop();
  const served_after = denials.reduce((sum, d) => sum + d.served_after, 0);
  console.log(
    [
      `${REVOCATIONS} revocations on ${REPLICAS} facades and ${REPLICAS} routers; milliseconds from the moment the revoke is sent`,
      '| | p50 | p99 | most |',
      '|---|---|---|---|',
      line(
        'revoke answered',
        denials.map((d) => d.revoke_ms),
      ),
      line(
        'first call denied',
        denials.map((d) => d.first_denied_ms),
      ),
      line(
        'last call sent that any replica served',
        denials.map((d) => d.last_served_ms),
      ),
      line(
        'running write: hub told to stop',
        fences.map((f) => f.told_ms),
      ),
      line(
        'running write: caller answered lease_revoked',
        fences.map((f) => f.answered_ms),
      ),
      `calls served that were sent after the revoke was answered: ${served_after}`,
    ].join('\n'),
  );
} finally {
  await zone.stop();
}
