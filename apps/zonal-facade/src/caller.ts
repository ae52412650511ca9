import type { CallRequest, TrustFacts } from '@adaos/contracts';
import { traceIdOf, type Ids } from '@adaos/runtime';
import type { IncomingMessage } from 'node:http';
import type { Addresses } from './client-address.js';
import { credentialsOf, type Credentials } from './credentials.js';
import { headerOf } from './raw-headers.js';

/** Who asks, as far as the edge can tell, and the ids of this attempt. */
export interface Caller {
  readonly call_id: string;
  readonly trace_id: string;
  readonly credentials: Credentials;
  /** Where a client without access gets it; null in lease mode. */
  readonly oauth: TrustFacts['oauth'];
  readonly zone: string | null;
  readonly subnet_id: string | null;
  readonly client: CallRequest['client'];
  /** Name of a scope header whose value is no short token; the request is refused for it. */
  readonly odd_header: string | null;
}

export interface CallerDeps {
  readonly ids: Pick<Ids, 'next' | 'trace'>;
  readonly addresses: Addresses;
  readonly oauth: () => TrustFacts['oauth'];
}

// They end up in queries and events of other services: a short token or nothing.
const SCOPE = /^[A-Za-z0-9._-]{1,64}$/;
const PRODUCT = /^([^\s/]{1,128})(?:\/(\S{1,64}))?/;

/** Reads what the headers tell. Never throws: what is odd is named, and refused by whoever serves the request. */
export function callerOf(deps: CallerDeps, req: IncomingMessage, via: 'mcp' | 'rest'): Caller {
  const zone = headerOf(req, 'x-adaos-zone') ?? null;
  const subnet_id = headerOf(req, 'x-adaos-subnet-id') ?? null;
  const odd_zone = zone !== null && !SCOPE.test(zone);
  const odd_subnet = subnet_id !== null && !SCOPE.test(subnet_id);
  const product = PRODUCT.exec(req.headers['user-agent'] ?? '');
  return {
    call_id: deps.ids.next('req'),
    trace_id: traceIdOf(headerOf(req, 'traceparent')) ?? deps.ids.trace(),
    credentials: credentialsOf(req),
    oauth: deps.oauth(),
    zone: odd_zone ? null : zone,
    subnet_id: odd_subnet ? null : subnet_id,
    client: {
      name: product?.[1] ?? 'unknown',
      version: product?.[2] ?? '',
      via,
      address: deps.addresses.hopOf(req).address,
    },
    odd_header: odd_zone ? 'X-AdaOS-Zone' : odd_subnet ? 'X-AdaOS-Subnet-Id' : null,
  };
}
