import { randomBytes } from 'node:crypto';
import { CallProgress, subjectOf, validator } from '@adaos/contracts';
import type { BaseDeps, Module } from '@adaos/runtime';
import { createMemoryLimits } from '@adaos/limits/memory';
import { Registry } from 'prom-client';
import { BOUNDS, type Bounds } from './bounds.js';
import { trustedProxies } from './client-address.js';
import type { Config } from './config.js';
import { connectionTable } from './connections.js';
import { edgeListener } from './edge.js';
import { listen } from './listen.js';
import { lostCalls } from './lost-calls.js';
import { requestStates } from './mcp/request-state.js';
import { progressListeners } from './mcp/progress.js';
import { mcpEndpoint } from './mcp/endpoint.js';
import { cancelVotes } from './mcp/cancel-votes.js';
import { inFlight } from './mcp/in-flight.js';
import { createStreams } from './mcp/streams.js';
import { edgeMetrics } from './metrics.js';
import { MCP_PATH } from './paths.js';
import { admissions } from './oauth/admissions.js';
import { consoleCookies, readConsoleCookie } from './oauth/console-cookie.js';
import { admitFirst } from './oauth/door.js';
import { isMetadata } from './oauth/metadata.js';
import { trustSource } from './oauth/trust-facts.js';
import { hostOf, originGate, type OriginGate } from './origin-gate.js';
import { readiness } from './readiness.js';
import { restApp } from './rest/app.js';
import { routerPort } from './router-port.js';
import { readCertificate, watchCertificate, type Certificate } from './tls.js';

export { Config } from './config.js';

/** Where the facade listens, as a client on this machine reaches it. */
export interface FacadeUrls {
  readonly root_url: string;
  readonly mcp_url: string;
  /** Null when no console is served. */
  readonly console_url: string | null;
}

export interface FacadeDeps extends BaseDeps {
  readonly config: Readonly<Omit<Config, 'REQUEST_STATE_KEY_FILE'>>;
  /** Keys of request states, the newest first; absent: one of this process, so that a state comes back to no other replica. */
  readonly request_state_keys?: readonly Buffer[];
  /** Told once the port is open; the only way to learn it when PORT is 0. */
  readonly on_listening?: (urls: FacadeUrls) => void;
  readonly bounds?: Partial<Bounds>;
  /** False serves MCP by the SDK alone, as the fast path's reference. */
  readonly fast_path?: boolean;
}

const checkProgress = validator<CallProgress>(CallProgress);

/** The HTTP edge: MCP, REST, console. Owns no state, no rules, no tool list; router is asked about everything. */
export const zonalFacade: Module<FacadeDeps> = {
  name: 'zonal-facade',
  async start({ bus, clock, ids, log, config, on_listening, fast_path = true, ...deps }) {
    const bounds = { ...BOUNDS, ...deps.bounds };
    // Known once the port is: nothing can ask before.
    let gate: OriginGate = () => 'host';
    let public_url = '';
    const addresses = trustedProxies(config.TRUST_PROXY);
    const certificate = readCertificate(config);
    const scheme = certificate ? 'https' : 'http';
    const connections = connectionTable(bounds, {
      isProxy: addresses.isProxy,
      on_dropped: (reason) => metrics.dropped(reason),
    });
    const metrics = edgeMetrics(deps.metrics ?? new Registry(), () => connections.size);
    const lost_calls = lostCalls({ bus, clock, log });
    const router = routerPort({ bus, bounds, log, lost_calls });
    const trust = trustSource({ bus, clock });
    const limits = createMemoryLimits();
    const callers = { ids, addresses, oauth: () => trust.current().oauth };
    const in_flight = inFlight();
    const cancels = cancelVotes({ bus, clock, ids, log, in_flight });
    const progress = progressListeners();
    const states = requestStates(deps.request_state_keys ?? [randomBytes(32)], clock);
    const approvalUrl = (approval_id: string) =>
      config.CONSOLE_DIR === undefined
        ? null
        : `${public_url}/console/approvals/${encodeURIComponent(approval_id)}`;
    const heard = bus.subscribe(subjectOf('call_progress'), (body) => {
      try {
        progress.tell(checkProgress(body));
      } catch {
        log.warn('a progress event breaks its contract');
      }
    });
    const streams = createStreams({ bus, router, clock, log, bounds });
    const mcp = mcpEndpoint({
      router,
      callers,
      bounds,
      clock,
      log,
      fast_path,
      in_flight,
      cancels,
      progress,
      states,
      approvalUrl,
      streams,
    });
    const app = restApp({
      router,
      callers,
      bounds,
      log,
      isReady: readiness(router),
      console_dir: config.CONSOLE_DIR,
      mcp_url: () => public_url + MCP_PATH,
      sign_in: { bus, clock, router, callers, limits, trust, public_origin: () => public_url },
    });
    const door = { trust, admissions: admissions({ bus, clock, limits }), router, callers, log };
    const listener = edgeListener({
      // The metadata of a protected resource is for the pages of any origin; the host must be ours all the same.
      gate: (req, proxied) => {
        const foreign = gate(req, proxied);
        return foreign === 'origin' && callers.oauth() && isMetadata(req) ? null : foreign;
      },
      bounds,
      metrics,
      connections,
      callers,
      log,
      mcp: admitFirst(door, 'mcp', mcp.serve),
      rest: admitFirst(door, 'rest', async (req, res) => {
        const host = hostOf(req, addresses.hopOf(req).proxied);
        const cookies = consoleCookies(public_url.startsWith('https:'));
        readConsoleCookie(req, cookies, { host, public_origin: public_url });
        app(req, res);
      }),
    });
    await trust.asked;
    const place = { host: config.HOST, port: config.PORT };
    const { port, tls_server, stop } = await listen({ ...place, bounds, connections, certificate }, listener);
    const root_url = `${scheme}://${reachable(config.HOST)}:${port}`;
    gate = originGate(config, port, scheme);
    let unwatch: () => void = () => undefined;
    if (certificate && tls_server) {
      const told = ({ not_after }: Certificate) => metrics.certificate(not_after);
      told(certificate);
      unwatch = watchCertificate({ config, clock, log }, tls_server, certificate, told);
    }
    public_url = config.PUBLIC_URL?.replace(/\/$/, '') ?? root_url;
    on_listening?.({
      root_url,
      mcp_url: root_url + MCP_PATH,
      console_url: config.CONSOLE_DIR === undefined ? null : `${root_url}/console/`,
    });
    return async () => {
      streams.endAll();
      unwatch();
      await stop(bounds.drain_ms);
      await heard.stop();
      await lost_calls.stop();
      await cancels.stop();
      await streams.stop();
      await mcp.close();
      await trust.stop();
      await limits.close();
    };
  },
};

/** A wildcard address is for listening; a client takes the loopback one. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
