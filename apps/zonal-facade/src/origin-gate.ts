import type { IncomingMessage } from 'node:http';
import type { Config } from './config.js';
import { headerOf, timesSent } from './raw-headers.js';

type Settings = Pick<Config, 'HOST' | 'PUBLIC_URL' | 'ALLOWED_HOSTS' | 'ALLOWED_ORIGINS'>;

/** Answers null, or what of the request is not ours. `proxied`: it came from a proxy of ours, whose X-Forwarded-* headers count. */
export type OriginGate = (req: IncomingMessage, proxied: boolean) => 'host' | 'origin' | 'scheme' | null;

/**
 * Refuses what a web page could send through a victim's browser (DNS rebinding, field case F05): a Host this process does not answer
 * to, an Origin that is not of it. No Origin at all is a program, not a page. Compared as whole values: `127.0.0.1.evil.example`
 * begins like one of ours and is none. A bearer that crossed the network in the clear, by word of our own proxy, is refused too.
 */
export function originGate(config: Settings, port: number, scheme: 'http' | 'https' = 'http'): OriginGate {
  const local = ['localhost', '127.0.0.1', '[::1]', bracketed(config.HOST)].flatMap((name) =>
    authorities(name, port, scheme),
  );
  const configured = entries(config.ALLOWED_HOSTS);
  const hosts = new Set([...local, ...configured]);
  const origins = new Set([
    ...local.map((host) => `${scheme}://${host}`),
    // Behind a TLS proxy the page of an allowed host is an https one.
    ...configured.flatMap((host) => [`http://${host}`, `https://${host}`]),
    ...entries(config.ALLOWED_ORIGINS),
  ]);
  let by_https_only = false;
  if (config.PUBLIC_URL) {
    const url = new URL(config.PUBLIC_URL);
    hosts.add(url.host).add(`${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`);
    origins.add(url.origin);
    by_https_only = url.protocol === 'https:';
  }
  return (req, proxied) => {
    const { origin } = req.headers;
    const host = hostOf(req, proxied);
    if (host === undefined || !hosts.has(host.toLowerCase())) return 'host';
    if (origin !== undefined && (timesSent(req, 'origin') > 1 || !origins.has(origin.toLowerCase())))
      return 'origin';
    if (by_https_only && proxied && headerOf(req, 'x-forwarded-proto')?.toLowerCase() === 'http')
      return 'scheme';
    return null;
  };
}

/** The host that was asked for: a proxy of ours that rewrote it says what it was. Undefined when it is not one value. */
export function hostOf(req: IncomingMessage, proxied: boolean): string | undefined {
  // Of two Host lines node shows the first; a proxy in front may have judged the second.
  if (timesSent(req, 'host') > 1) return undefined;
  const forwarded = proxied ? headerOf(req, 'x-forwarded-host') : undefined;
  return forwarded ?? req.headers.host;
}

/** Values of a comma-separated setting. */
const entries = (list: string) =>
  list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);
const bracketed = (host: string) =>
  (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host).toLowerCase();
// A client leaves the port out when it is the default one.
const authorities = (name: string, port: number, scheme: 'http' | 'https') =>
  port === (scheme === 'https' ? 443 : 80) ? [name, `${name}:${port}`] : [`${name}:${port}`];
