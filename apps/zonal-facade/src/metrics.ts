import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds; the buckets of the MCP semantic conventions, with two more for cached reads. */
const BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface EdgeMetrics {
  /** Counts a finished exchange. `route` is a template of ours, never a path as sent. */
  finished(labels: { route: string; method: string; status: number }, seconds: number): void;
  readonly in_flight: { inc(): void; dec(): void };
  /** Prometheus text exposition. */
  expose(): Promise<{ type: string; text: string }>;
}

/** Metrics of one facade in a registry of its own, so that two in a process don't add up. No label comes from a client. */
export function edgeMetrics(): EdgeMetrics {
  const registry = new Registry();
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
  return {
    finished({ route, method, status }, seconds) {
      const labels = { route, method: METHODS.has(method) ? method : 'other', status };
      requests.inc(labels);
      durations.observe(labels, seconds);
    },
    in_flight,
    expose: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}
