import { createInProcessBroker } from '@adaos/bus/in-process';
import {
  AUDIT_STREAM,
  OpError,
  sha256,
  subjectOf,
  type ExecReply,
  type ExecRequest,
  type Grant,
  type LeaseRevoked,
  type OperationalEvent,
  type SessionLease,
} from '@adaos/contracts';
import { randomIds, silentLog, type Stop } from '@adaos/runtime';
import { testClock, testStore } from '@adaos/testing';
import { session, type SessionDeps } from './module.js';

export const OPERATOR = 'adm_operator';
export const KEY = Buffer.alloc(32, 7);

/** The service on a real database and an in-process bus, asked as router asks it. */
export async function startSession() {
  const { store, close } = await testStore();
  const broker = createInProcessBroker();
  const clock = testClock(Date.now());
  const bus = broker.connect('router');
  const told: LeaseRevoked[] = [];
  bus.subscribe(subjectOf('lease_revoked'), (body) => void told.push(body as LeaseRevoked));
  const recorded: OperationalEvent[] = [];
  await broker
    .connect('audit')
    .consume(
      { stream: AUDIT_STREAM, subjects: [subjectOf('audit_record', '*')], durable: 'audit', max_batch: 64 },
      async (batch) => {
        for (const { body } of batch) recorded.push(...(body as { records: OperationalEvent[] }).records);
      },
    );
  const start = (over: Partial<SessionDeps> = {}) =>
    session.start({
      zone: 'local',
      bus: broker.connect('session'),
      clock,
      ids: randomIds,
      log: silentLog,
      store,
      hmac_keys: [KEY],
      root_url: () => 'https://zone.example',
      bootstrap_operator_digest: sha256(OPERATOR),
      ...over,
    });
  let stop = await start();
  const extra: Stop[] = [];

  const resolved = async (bearer: string): Promise<Grant> =>
    bus.request(subjectOf('session_resolve'), { bearer_digest: sha256(bearer) }, { timeout_ms: 5_000 });
  /** The grant of a bearer, or the code of its refusal. */
  const resolve = (bearer: string): Promise<Grant | string> =>
    resolved(bearer).catch((error: OpError) => error.code);

  /** A tool under a bearer, on the demo hub unless told otherwise. */
  const exec = async (
    tool_id: string,
    args: Record<string, unknown>,
    over: Partial<ExecRequest> = {},
    bearer = OPERATOR,
  ): Promise<ExecReply> => {
    const grant = (over.grant as Grant | undefined) ?? (await resolved(bearer));
    const request: ExecRequest = {
      event_id: 'evt_1',
      request_id: 'r1',
      trace_id: '0'.repeat(32),
      lease_id: grant.grant_id,
      actor: grant.actor,
      tool_id,
      target_id: 'hub:demo',
      subnet_id: 'subnet-a',
      arguments: args,
      arguments_digest: '',
      dry_run: false,
      grant,
      ...over,
    };
    return bus.request(subjectOf('session_exec'), request, { timeout_ms: 5_000 });
  };
  const issue = async (
    args: Record<string, unknown> = {},
    over: Partial<ExecRequest> = {},
    bearer = OPERATOR,
  ) => {
    const reply = await exec(
      'hub.issue_mcp_session',
      { capability_profile: 'InfraOpsRead', ...args },
      over,
      bearer,
    );
    return reply as ExecReply & { result: { session: SessionLease; bearer: string } };
  };
  const epoch = async () =>
    (await bus.request<{ epoch: number }>(subjectOf('session_epoch'), {}, { timeout_ms: 5_000 })).epoch;

  return {
    store,
    clock,
    bus,
    /** Revocation events heard. */
    told,
    /** Records written. */
    recorded,
    resolve,
    exec,
    issue,
    epoch,
    /** Another replica beside the first. */
    async replica() {
      extra.push(await start());
    },
    /** As a restart with other settings. */
    async restart(over: Partial<SessionDeps>) {
      await stop();
      stop = await start(over);
    },
    async close() {
      for (const end of extra) await end();
      await stop();
      await broker.close();
      await close();
    },
  };
}
export type SessionUnderTest = Awaited<ReturnType<typeof startSession>>;
