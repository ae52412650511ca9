import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DropReason } from './connections.js';

/** Seconds; the buckets of the MCP semantic conventions, with two more for cached reads. */
const BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface EdgeMetrics {
  /** Counts a finished exchange. `route` is a template of ours, never a path as sent. */
  finished(labels: { route: string; method: string; status: number }, seconds: number): void;
  readonly in_flight: { inc(): void; dec(): void };
  /** Counts what the edge refused by itself: it leaves no event. */
  refused(reason: EdgeRefusal): void;
  /** Counts a connection that had to make room, or found none. */
  dropped(reason: DropReason): void;
  /** When the TLS certificate in use ends, epoch milliseconds. */
  certificate(not_after: number): void;
}

/** Why the edge refused a request before it asked anybody. */
export type EdgeRefusal =
  'host' | 'origin' | 'scheme' | 'target' | 'headers' | 'busy' | 'busy_address' | 'failed';

/** Metrics of one facade. No label comes from a client. */
export function edgeMetrics(registry: Registry, open_connections: () => number): EdgeMetrics {
  const labelNames = ['route', 'method', 'status'] as const;
  const requests = new Counter({
    name: 'adaos_facade_requests_total',
    help: 'HTTP requests answered',
    labelNames,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'adaos_facade_request_duration_seconds',
    help: 'Time from the headers to the end of the answer',
    labelNames,
    buckets: BUCKETS,
    registers: [registry],
  });
  const in_flight = new Gauge({
    name: 'adaos_facade_in_flight',
    help: 'HTTP requests under way',
    registers: [registry],
  });
  const refused = new Counter({
    name: 'adaos_facade_refused_total',
    help: 'Requests refused at the edge without an event',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  const dropped = new Counter({
    name: 'adaos_facade_connections_dropped_total',
    help: 'Connections closed, or not taken, because of too many from one address or in all',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  new Gauge({
    name: 'adaos_facade_connections',
    help: 'Open connections',
    registers: [registry],
    collect() {
      this.set(open_connections());
    },
  });
  let not_after: Gauge | undefined;
  return {
    finished({ route, method, status }, seconds) {
      const labels = { route, method: METHODS.has(method) ? method : 'other', status };
      requests.inc(labels);
      durations.observe(labels, seconds);
    },
    in_flight,
    refused: (reason) => refused.inc({ reason }),
    dropped: (reason) => dropped.inc({ reason }),
    certificate(ends_at) {
      not_after ??= new Gauge({
        name: 'adaos_facade_tls_not_after_seconds',
        help: 'When the TLS certificate in use ends, Unix time',
        registers: [registry],
      });
      not_after.set(ends_at / 1000);
    },
  };
}
