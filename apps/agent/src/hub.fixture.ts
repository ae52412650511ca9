import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@adaos/bus';
import { createInProcessBroker, type InProcessOptions } from '@adaos/bus/in-process';
import { digestOf, subjectOf, targetIdOf, toolOf, validator } from '@adaos/contracts';
import { ExecReply, type ExecRequest, type HubReport } from '@adaos/contracts';
import { signPermit, type PermitClaims } from '@adaos/permit';
import { randomIds, silentLog, systemClock, type Stop } from '@adaos/runtime';
import { stringify } from 'yaml';
import type { LateOutcome } from './late-outcomes.js';
import { agent, parseAgentConfig } from './module.js';

export const HUB_ID = 'hub-1';
export const ZONE = 'test';
/** A service that runs until it is told to stop. */
export const idle = (name: string, more: object = {}) => ({
  name,
  argv: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
  restart: { max_restarts: 2, backoff_ms: 20 },
  observe_ms: 50,
  stop_timeout_ms: 1_000,
  ...more,
});

export interface HubOptions {
  /** The hub's file as a value; `dir` is the directory its paths count from. */
  readonly config?: (dir: string) => object;
  readonly dir?: string;
  readonly skill?: string;
  readonly bus?: InProcessOptions;
  /** What root answers to a late outcome; throws to refuse. */
  readonly onEvent?: (outcome: LateOutcome) => unknown;
}

const checkReply = validator<ExecReply>(ExecReply);

/** A real agent on a real in-process broker, with this test in the place of root: it signs permits and hears reports. */
export async function startHub(options: HubOptions = {}) {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'hub-'));
  mkdirSync(dir, { recursive: true });
  const keys = generateKeyPairSync('ed25519');
  const broker = createInProcessBroker(options.bus);
  const router = broker.connect('router');
  const reports: HubReport[] = [];
  const events: LateOutcome[] = [];
  const root = { skill: options.skill ?? 'enabled' };
  const queue = { queue: 'router', max_concurrency: 10 };
  router.serve(subjectOf('hub_report', '*'), queue, async (body) => {
    reports.push(body as HubReport);
    return { accepted: true, skill: { state: root.skill } };
  });
  router.serve(subjectOf('hub_event', '*'), queue, async (body) => {
    const answer = options.onEvent?.(body as LateOutcome) ?? { recorded: true };
    events.push(body as LateOutcome);
    return answer;
  });
  const text = stringify({ hub_id: HUB_ID, heartbeat_ms: 300_000, ...options.config?.(dir) });
  const config = parseAgentConfig(text, { file: join(dir, 'agent.yaml') });
  const bus = broker.connect('hub', HUB_ID);
  const stop: Stop = await agent.start({
    zone: ZONE,
    bus,
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    config,
    data_dir: join(dir, 'data'),
    root_public_key: keys.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  });
  let stopped: Promise<void> | null = null;

  return {
    dir,
    router,
    reports,
    events,
    root,
    ...caller(router, keys.privateKey),
    /** Stops the agent as its process would; the directory stays. */
    stop: () => (stopped ??= stop().then(() => broker.close())),
    async end() {
      await this.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
export type Hub = Awaited<ReturnType<typeof startHub>>;

/** What root does for a call: complete the request, sign for it, send it. */
export function caller(router: Bus, key: ReturnType<typeof generateKeyPairSync>['privateKey']) {
  const sign = (claims: PermitClaims, ttl_s = 30) => signPermit(key as never, claims, Date.now(), ttl_s);

  async function requestOf(
    tool_id: string,
    args: object,
    more: Partial<ExecRequest> = {},
  ): Promise<ExecRequest> {
    const writes = toolOf(tool_id).contract.side_effect_class.endsWith('_write');
    const request = {
      event_id: randomIds.next('evt'),
      request_id: randomIds.next('req'),
      trace_id: randomIds.trace(),
      lease_id: 'lse_1',
      actor: 'tester',
      tool_id,
      target_id: targetIdOf(HUB_ID),
      subnet_id: 'subnet-1',
      arguments: { ...args },
      arguments_digest: digestOf(args),
      dry_run: false,
      ...more,
    } satisfies ExecRequest;
    const { lease_id, request_id, arguments_digest, dry_run } = request;
    const base = { permit_id: randomIds.next('prm'), zone: ZONE, hub_id: HUB_ID, lease_id, tool_id };
    const permit = await sign(
      writes ? { ...base, kind: 'write', request_id, arguments_digest, dry_run } : { ...base, kind: 'read' },
    );
    return { ...request, permit };
  }
  /** Sends a request as it is and checks that the reply is one. */
  async function send(request: unknown, timeout_ms = 20_000): Promise<ExecReply> {
    return checkReply(await router.request(subjectOf('hub_exec', HUB_ID), request, { timeout_ms }));
  }
  return {
    sign,
    requestOf,
    send,
    call: async (tool_id: string, args: object = {}, more: Partial<ExecRequest> = {}) =>
      send(await requestOf(tool_id, args, more)),
    control: <T>(body: object) =>
      router.request<T>(subjectOf('hub_control', HUB_ID), body, { timeout_ms: 5_000 }),
    cancel: (event_id: string) =>
      router.request<{ aborted: number }>(
        subjectOf('hub_cancel', HUB_ID),
        { event_id },
        { timeout_ms: 5_000 },
      ),
  };
}
