import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Name lookup for probes. `localhost` and names below it are both loopback addresses (RFC 6761), whatever the hosts file says: a
 * service may listen on either family (field case F25). With `autoSelectFamily` each address is tried in turn.
 */
export const bothFamilies: LookupFunction = (hostname, options, done) => {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) {
    process.nextTick(() => done(null, LOOPBACK));
    return;
  }
  const all: LookupAllOptions = { ...options, all: true };
  dnsLookup(hostname, all, (error, addresses) => done(error, addresses));
};

/** Milliseconds an address may take before the next one is tried as well. */
export const NEXT_ADDRESS_MS = 250;
