import ipaddr from 'ipaddr.js';

/**
 * What an address counts as in a limit: an IPv4 address itself, of an IPv6 one its /64, since whoever has one address of that has them
 * all. An IPv4 address written as IPv6 is the same client. What is no address counts as its text.
 */
export function addressKey(address: string): string {
  let parsed: ipaddr.IPv4 | ipaddr.IPv6;
  try {
    parsed = ipaddr.process(address);
  } catch {
    return address.slice(0, 64);
  }
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
