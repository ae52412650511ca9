import ipaddr from 'ipaddr.js';
import type { IncomingMessage } from 'node:http';
import { FacadeStartError } from './start-error.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Who is on the other end of a request. */
export interface Hop {
  /** The client: the connection's peer, or what trusted proxies say of whom they serve. */
  readonly address: string;
  /** Came from a proxy of ours, whose X-Forwarded-* headers count. */
  readonly proxied: boolean;
}

export interface Addresses {
  hopOf(req: IncomingMessage): Hop;
  /** Is this peer a proxy of ours? Many clients share its address. */
  isProxy(peer: string | undefined): boolean;
}

/** Entries of X-Forwarded-For that are looked at: nobody has more proxies of his own in a row. */
const MAX_HOPS = 16;

/**
 * Reads TRUST_PROXY: addresses and networks (CIDR) of the proxies in front, comma-separated; none trusts nobody. Throws
 * FacadeStartError on an entry that is neither, and on one that would trust everybody.
 */
export function trustedProxies(list: string): Addresses {
  const networks = list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map(networkOf);

  const trusted = (address: Address) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

  return {
    isProxy: (peer) => {
      const address = networks.length > 0 ? addressIn(peer) : null;
      return address !== null && trusted(address);
    },
    hopOf(req) {
      const peer = addressIn(req.socket.remoteAddress);
      if (peer === null) return { address: 'unknown', proxied: false };
      if (networks.length === 0 || !trusted(peer)) return { address: peer.toString(), proxied: false };
      return { address: clientBehind(peer, req).toString(), proxied: true };
    },
  };

  /** From the right, as long as the entry is one of our own proxies: the first that is not was seen by the last that is. */
  function clientBehind(peer: Address, req: IncomingMessage): Address {
    let client = peer;
    const entries = String(req.headers['x-forwarded-for'] ?? '').split(',');
    for (const entry of entries.reverse().slice(0, MAX_HOPS)) {
      const address = addressIn(withoutPort(entry.trim()));
      // What no proxy of ours would write is the client's own word, and so is all that stands left of it.
      if (address === null) return client;
      client = address;
      if (!trusted(address)) return client;
    }
    return client;
  }
}

function addressIn(text: string | undefined): Address | null {
  // The library also reads `1` and octal parts as IPv4.
  if (text === undefined || !(text.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(text))) return null;
  try {
    return ipaddr.process(text);
  } catch {
    return null;
  }
}

/** Some proxies write the port of the connection too: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (text: string) =>
  /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text)?.slice(1).find(Boolean) ?? text;

function networkOf(entry: string): [Address, number] {
  const [text = '', bits, ...rest] = entry.split('/');
  const address = addressIn(text);
  const most = address?.kind() === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
  if (address === null || rest.length > 0 || length > most) {
    throw new FacadeStartError(
      `TRUST_PROXY holds ${JSON.stringify(entry.slice(0, 64))}, which is neither an address nor a network: write 10.0.0.5 or 10.0.0.0/8.`,
    );
  }
  if (length === 0) {
    throw new FacadeStartError(
      `TRUST_PROXY ${entry} would let every client name its own address: list the proxies themselves.`,
    );
  }
  return [address, length];
}
