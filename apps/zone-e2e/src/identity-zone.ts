import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { audit } from '@adaos/audit/module';
import { createInProcessBroker } from '@adaos/bus/in-process';
import { sha256, subjectOf, type ExecRequest, type StoredEvent } from '@adaos/contracts';
import { descriptor } from '@adaos/descriptor/module';
import { createMemoryLimits } from '@adaos/limits/memory';
import { policy } from '@adaos/policy/module';
import { router } from '@adaos/router/module';
import { randomIds, silentLog, systemClock, type Stop } from '@adaos/runtime';
import { session, type Trust } from '@adaos/session/module';
import { testStore } from '@adaos/testing';
import { startIdentityProvider, ZONE_CLIENT, type IdentityProvider } from '@adaos/testing/identity-provider';
import { zonalFacade, type FacadeDeps, type FacadeUrls } from '@adaos/zonal-facade/module';
import { succeeded } from './spine.js';
import { REPO } from './zone-under-test.js';

export const OPERATOR = `adm_${'o'.repeat(43)}`;
export const SCOPES = ['profile:InfraOpsRead', 'profile:InfraOpsControl', 'profile:AuditRead'];

const WEB = { name: 'web', state: 'running', pid: 1, restarts: 0, started_at: null, last_exit: null };
/** What the hub of these tests says, valid against the contracts: clients check it. */
export const ANSWERS: Readonly<Record<string, Record<string, unknown>>> = {
  'hub.get_status': {
    hub_id: 'demo',
    health: 'healthy',
    agent: { version: '0', pid: 1, uptime_s: 1 },
    skill: { name: 'infra_access_skill', version: '0', state: 'enabled' },
    services: [],
    at: '2026-01-01T00:00:00.000Z',
  },
  'hub.restart_service': {
    service: 'web',
    dry_run: false,
    would: [],
    before: WEB,
    after: WEB,
    healthy: true,
    waited_ms: 1,
  },
};

/** Every root service, the facade and a hub in this process, beside a real identity provider. */
export async function startIdentityZone(
  options: {
    trust?: 'both' | 'nobody';
    facade?: Partial<FacadeDeps['config']>;
    /** Name of this machine in the zone's address; `localhost` is another site than the provider's. */
    public_host?: string;
  } = {},
) {
  const port = await freePort();
  const { public_host = '127.0.0.1' } = options;
  const root_url = `http://${public_host}:${port}`;
  const mcp_url = `${root_url}/v1/root/mcp`;
  const idp = await startIdentityProvider({
    redirect_uri: `${options.facade?.PUBLIC_URL ?? root_url}/console/callback`,
    scopes: SCOPES,
  });
  const { store, close } = await testStore();
  const broker = createInProcessBroker();
  const base = (user: Parameters<typeof broker.connect>[0]) => ({
    zone: 'local',
    bus: broker.connect(user),
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
  });
  const trust = options.trust === 'nobody' ? undefined : trustIn(idp, mcp_url);
  const stops: Stop[] = [];
  stops.push(await audit.start({ ...base('audit'), store }));
  stops.push(
    await session.start({
      ...base('session'),
      store,
      hmac_keys: [Buffer.alloc(32, 1)],
      root_url: () => root_url,
      bootstrap_operator_digest: sha256(OPERATOR),
      keys_cooldown_ms: 0,
      ...(trust && { trust }),
    }),
  );
  stops.push(
    await policy.start({
      ...base('policy'),
      store,
      policy_dir: join(REPO, 'deploy/policies'),
      permit_key: generateKeyPairSync('ed25519').privateKey,
    }),
  );
  stops.push(await descriptor.start({ ...base('descriptor'), build: { version: '0', commit: 'test' } }));
  stops.push(
    await router.start({ ...base('router'), store, limits: createMemoryLimits(), heartbeat_ms: 60_000 }),
  );
  let urls: FacadeUrls | undefined;
  stops.push(
    await zonalFacade.start({
      ...base('facade'),
      on_listening: (listening) => (urls = listening),
      config: {
        HOST: '127.0.0.1',
        PORT: port,
        ALLOWED_HOSTS: '',
        ALLOWED_ORIGINS: '',
        TRUST_PROXY: '',
        PUBLIC_URL: root_url,
        ...options.facade,
      },
    }),
  );
  const hub = broker.connect('hub', 'demo');
  const seen: unknown[] = [];
  hub.serve(subjectOf('hub_exec', 'demo'), { queue: 'agent', max_concurrency: 10 }, async (body) => {
    seen.push(body);
    return succeeded(ANSWERS[(body as ExecRequest).tool_id] ?? {});
  });
  hub.serve(subjectOf('hub_control', 'demo'), { queue: 'agent', max_concurrency: 10 }, async () => ({}));

  const rest = async (
    method: string,
    path: string,
    { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; headers: Headers; body: any }> => {
    const response = await fetch(root_url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
  const operator = (method: string, path: string, body?: unknown) =>
    rest(method, `/v1/root/mcp${path}`, { token: OPERATOR, body });

  await operator('POST', '/targets', {
    hub_id: 'demo',
    environment: 'test',
    subnet_id: 'subnet-a',
    policy: {
      write_scope: 'test-only',
      allowed_services: ['web'],
      allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
    },
  });
  await operator('POST', '/targets/hub:demo/skill', { state: 'enabled' });
  await hub.request(
    subjectOf('hub_report', 'demo'),
    {
      epoch: 'e1',
      cursor: 1,
      reported_at: new Date().toISOString(),
      agent_version: '0',
      skill: { name: 'infra_access_skill', version: '0', state: 'enabled' },
      capabilities: ['hub.get_status', 'hub.restart_service'],
      execution_adapters: [],
      services: [],
      health: 'healthy',
      rtt_ms: 1,
    },
    { timeout_ms: 5_000 },
  );

  return {
    idp,
    root_url,
    mcp_url,
    urls: urls!,
    store,
    seen,
    rest,
    operator,
    mcp: (token: string | undefined, method: string, params: object = {}) =>
      rest('POST', '/v1/root/mcp', {
        ...(token !== undefined && { token }),
        body: { jsonrpc: '2.0', id: 1, method, params },
        headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      }),
    events: async (filter = ''): Promise<StoredEvent[]> =>
      (await operator('GET', `/audit?limit=200${filter}`)).body.events,
    async stop() {
      for (const stop of stops.reverse()) await stop();
      await broker.close();
      await close();
      await idp.stop();
    },
  };
}
export type IdentityZone = Awaited<ReturnType<typeof startIdentityZone>>;

const trustIn = (idp: IdentityProvider, resource: string): Trust => ({
  clock_skew_s: 30,
  oidc: {
    issuer: idp.issuer,
    ...ZONE_CLIENT,
    audience: ZONE_CLIENT.client_id,
    scopes: 'openid',
    role_claim: 'roles',
    role_map: [
      { value: 'zone-admins', role: 'admin' },
      { value: 'everyone', role: 'viewer' },
    ],
    name: 'Test login',
    session_s: 3_600,
  },
  oauth: {
    issuers: [idp.issuer],
    resource,
    jwks_url: null,
    introspection: { url: null, ...ZONE_CLIENT, ttl_s: 30 },
    scope_prefix: 'profile:',
    default_profiles: ['InfraOpsRead'],
    target_claim: null,
    default_target: 'hub:demo',
  },
});

/** The audience of tokens names the port, so it has to be known before anything listens on it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
