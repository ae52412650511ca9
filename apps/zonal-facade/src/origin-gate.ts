import type { IncomingMessage } from 'node:http';
import type { Config } from './config.js';
import { timesSent } from './raw-headers.js';

type Settings = Pick<Config, 'HOST' | 'PUBLIC_URL' | 'ALLOWED_HOSTS' | 'ALLOWED_ORIGINS'>;

/** Answers null, or which of the two headers is not one of ours. */
export type OriginGate = (req: IncomingMessage) => 'host' | 'origin' | null;

/**
 * Refuses what a web page could send through a victim's browser (DNS rebinding, field case F05): a Host this process does not answer
 * to, an Origin that is not of it. No Origin at all is a program, not a page. Compared as whole values: `127.0.0.1.evil.example`
 * begins like one of ours and is none.
 */
export function originGate(config: Settings, port: number): OriginGate {
  const local = ['localhost', '127.0.0.1', '[::1]', bracketed(config.HOST)].flatMap((name) =>
    authorities(name, port),
  );
  const configured = entries(config.ALLOWED_HOSTS);
  const hosts = new Set([...local, ...configured]);
  const origins = new Set([
    ...local.map((host) => `http://${host}`),
    // Behind a TLS proxy the page of an allowed host is an https one.
    ...configured.flatMap((host) => [`http://${host}`, `https://${host}`]),
    ...entries(config.ALLOWED_ORIGINS),
  ]);
  if (config.PUBLIC_URL) {
    const url = new URL(config.PUBLIC_URL);
    hosts.add(url.host).add(`${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`);
    origins.add(url.origin);
  }
  return (req) => {
    const { host, origin } = req.headers;
    // Of two Host lines node shows the first; a proxy in front may have judged the second.
    if (host === undefined || timesSent(req, 'host') > 1 || !hosts.has(host.toLowerCase())) return 'host';
    if (origin !== undefined && !origins.has(origin.toLowerCase())) return 'origin';
    return null;
  };
}

const entries = (list: string) =>
  list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);
const bracketed = (host: string) =>
  (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host).toLowerCase();
// A client leaves the port out when it is the default one.
const authorities = (name: string, port: number) =>
  port === 80 ? [name, `${name}:80`] : [`${name}:${port}`];
