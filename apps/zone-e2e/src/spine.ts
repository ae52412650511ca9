import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { audit } from '@adaos/audit/module';
import type { Bus, Subscription } from '@adaos/bus';
import { createInProcessBroker, type InProcessBroker } from '@adaos/bus/in-process';
import {
  sha256,
  subjectOf,
  type CallRequest,
  type Envelope,
  type ExecReply,
  type ExecRequest,
  type HubReport,
} from '@adaos/contracts';
import { descriptor } from '@adaos/descriptor/module';
import { createMemoryLimits } from '@adaos/limits/memory';
import { policy } from '@adaos/policy/module';
import { router } from '@adaos/router/module';
import { randomIds, silentLog, type Stop } from '@adaos/runtime';
import { session } from '@adaos/session/module';
import { testClock, testStore } from '@adaos/testing';
import { REPO } from './zone-under-test.js';

/** Bearer of the zone's operator. */
export const OPERATOR = 'adm_test';

/** The root services on one in-process broker, with time and the record in the test's hands. */
export async function startSpine(
  own: Partial<Parameters<typeof router.start>[0]> = {},
  broker: InProcessBroker = createInProcessBroker(),
  policies: { readonly zone_policy_dir?: string } = {},
) {
  const { store, close } = await testStore();
  const clock = testClock(Date.now());
  const { privateKey } = generateKeyPairSync('ed25519');
  const base = (user: Parameters<typeof broker.connect>[0]) => ({
    zone: 'local',
    bus: broker.connect(user),
    clock,
    ids: randomIds,
    log: silentLog,
  });
  const startPolicy = () =>
    policy.start({
      ...base('policy'),
      store,
      policy_dir: join(REPO, 'deploy/policies'),
      zone_policy_dir: policies.zone_policy_dir,
      permit_key: privateKey,
    });
  let decisions: Stop | undefined = await startPolicy();
  const stops: Stop[] = [
    await session.start({
      ...base('session'),
      store,
      hmac_keys: [Buffer.alloc(32, 1)],
      root_url: () => null,
      bootstrap_operator_digest: sha256(OPERATOR),
    }),
    await descriptor.start({ ...base('descriptor'), build: { version: '0', commit: 'test' } }),
    await router.start({
      ...base('router'),
      store,
      limits: createMemoryLimits(),
      heartbeat_ms: 1_000,
      recovery: { sweep_ms: 1_000, orphan_age_ms: 5_000 },
      ...own,
    }),
  ];
  let record: Stop | undefined;
  const edge = broker.connect('service');

  const call = (
    bearer: string,
    name: string,
    args: Record<string, unknown> = {},
    more: Partial<CallRequest> = {},
  ): Promise<Envelope> =>
    edge.request(
      subjectOf('router_call'),
      {
        call_id: randomIds.next('req'),
        bearer_digest: sha256(bearer),
        zone: null,
        subnet_id: null,
        name,
        arguments: args,
        client: { name: 'test', version: '0', via: 'nats', address: '' },
        ...more,
      } satisfies CallRequest,
      { timeout_ms: 60_000 },
    );

  return {
    clock,
    store,
    connect: broker.connect,
    call,
    operator: (name: string, args: Record<string, unknown> = {}) => call(OPERATOR, name, args),
    /** So does policy. */
    async stopPolicy() {
      await decisions?.();
      decisions = undefined;
    },
    async startPolicy() {
      decisions = await startPolicy();
    },
    /** The audit service comes and goes by hand. */
    async startRecord() {
      record = await audit.start({ ...base('audit'), store });
    },
    async stopRecord() {
      await record?.();
      record = undefined;
    },
    /** A registered, enabled, reporting hub whose exec is answered by the test; counts what reaches it. */
    async hub(hub_id: string, answer: (request: ExecRequest) => Promise<ExecReply>) {
      const bus = broker.connect('hub', hub_id);
      const seen: ExecRequest[] = [];
      const serve = (
        id: 'hub_exec' | 'hub_control' | 'hub_cancel',
        handler: (body: unknown) => Promise<unknown>,
      ): Subscription => bus.serve(subjectOf(id, hub_id), { queue: 'agent', max_concurrency: 10 }, handler);
      const exec = serve('hub_exec', async (body) => {
        seen.push(body as ExecRequest);
        return answer(body as ExecRequest);
      });
      return { bus, seen, exec, serve, report: (over: Partial<HubReport> = {}) => report(bus, hub_id, over) };
    },
    async stop() {
      await decisions?.();
      await record?.();
      for (const stop of stops.reverse()) await stop();
      await broker.close();
      await close();
    },
  };
}
export type Spine = Awaited<ReturnType<typeof startSpine>>;

let cursor = 0;
const report = (bus: Bus, hub_id: string, over: Partial<HubReport>) =>
  bus.request<{ accepted: boolean; skill: { state: string } }>(
    subjectOf('hub_report', hub_id),
    {
      epoch: 'e1',
      cursor: ++cursor,
      reported_at: new Date().toISOString(),
      agent_version: '0',
      skill: { name: 'infra_access_skill', version: '0', state: 'enabled' },
      capabilities: ['hub.get_status', 'hub.restart_service'],
      execution_adapters: [],
      services: [],
      health: 'healthy',
      rtt_ms: 1,
      ...over,
    } satisfies HubReport,
    { timeout_ms: 5_000 },
  );

/** A plain success of the hub. */
export const succeeded = (result: Record<string, unknown> = { ok: true }): ExecReply => ({
  status: 'succeeded',
  result,
  redactions: [],
  provenance: { source: 'subnet_active', adapter: 'test', complete: true },
  adapter: 'test',
  adapter_ms: 1,
});
