import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from './config.js';
import { away, Failure, usage } from './failure.js';

/** Where the zone is and what to show it. The token belongs to this origin and goes nowhere else. */
export interface Connection {
  readonly url: URL;
  readonly token: string | null;
  /** What the URL was told by, for messages. */
  readonly told_by: string;
}

export interface ConnectionFlags {
  readonly url?: string;
  readonly token_file?: string;
  readonly data_dir?: string;
}

/** One place that may name the zone, the token, or both. */
interface Source {
  readonly name: string;
  readonly url: URL | null;
  readonly token: string | null;
  /** The caller named it, rather than a file that lies in the working folder. */
  readonly named: boolean;
}

const DEFAULT_DATA_DIR = '.zone';
const NEXT = 'Start a zone (npm start), or give --url or ADAOS_URL.';

/**
 * The connection from flags, then environment, then connection.json; each of URL and token from the first that has it. A token is
 * only used for the URL it stands next to: `--url elsewhere` must not carry this zone's token there.
 */
export function connectionOf(flags: ConnectionFlags, config: Readonly<Config>, cwd: string): Connection {
  const flag: Source = {
    name: '--url',
    url: flags.url === undefined ? null : rootUrl(flags.url, '--url'),
    token: flags.token_file === undefined ? null : tokenIn(resolve(cwd, flags.token_file)),
    named: true,
  };
  const env: Source = {
    name: 'ADAOS_URL',
    url: config.ADAOS_URL === undefined ? null : rootUrl(config.ADAOS_URL, 'ADAOS_URL'),
    token: config.ADAOS_TOKEN === undefined ? null : checkedToken(config.ADAOS_TOKEN, 'ADAOS_TOKEN'),
    named: true,
  };
  const sources = [
    flag,
    env,
    fileSource(flags.data_dir ?? config.ZONE_DATA_DIR, cwd, flag.url === null && env.url === null),
  ];
  const found = sources.find((source) => source.url !== null);
  if (!found?.url) throw usage('No zone is named.', NEXT);
  const url = found.url;
  const tokens = sources.filter((source) => source.token !== null);
  const fitting = tokens.find((source) => belongs(source, found, url));
  const first = tokens[0];
  // Passing over a token that was given without a URL would act as somebody else without saying so.
  if (first && first !== fitting && (!fitting || first.url === null)) throw misplaced(first, url, env);
  return { url, token: fitting?.token ?? null, told_by: found.name };
}

/** A file of the working folder may not decide where a token given elsewhere goes, unless that is this machine. */
const belongs = (source: Source, found: Source, url: URL): boolean =>
  source.url === null ? found.named || isLoopback(url) : source.url.origin === url.origin;

function misplaced(source: Source, url: URL, env: Source): Failure {
  const name = source === env ? 'ADAOS_TOKEN' : source.name === '--url' ? '--token-file' : source.name;
  return new Failure('unauthenticated', {
    code: 'unauthenticated',
    message: `The token of ${name} does not belong to ${url.origin}, so it was not sent there.`,
    next:
      source.url === null
        ? `If it is meant to be, say so: --url ${url.origin}`
        : 'Give the token of that zone by --token-file.',
  });
}

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

function rootUrl(text: string, name: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usage(`${name} is not a URL.`, 'Write it like https://zone.example.');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw usage(`${name} must start with https:// or http://.`);
  if (url.username || url.password) {
    throw usage(
      `${name} must not hold a user or password.`,
      'Give the token by ADAOS_TOKEN or --token-file.',
    );
  }
  if (url.search || url.hash) throw usage(`${name} must end after the path.`);
  return url;
}

function tokenIn(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usage(`The token file can not be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
  return checkedToken(text.trim(), 'the token file');
}

// What is no plain header value could add a header of its own.
function checkedToken(token: string, name: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token;
  throw usage(
    `The value of ${name} is no token: it is empty, too long, or holds spaces or other characters.`,
  );
}

function fileSource(data_dir: string | undefined, cwd: string, needed: boolean): Source {
  const name = join(data_dir ?? DEFAULT_DATA_DIR, 'connection.json');
  const none: Source = { name, url: null, token: null, named: data_dir !== undefined };
  let text: string;
  try {
    text = readFileSync(resolve(cwd, name), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The zone removes the file when it stops.
    if (code !== 'ENOENT' && needed) throw usage(`${name} can not be read (${code ?? 'unknown'}).`);
    if (needed && data_dir !== undefined)
      throw away('no_zone', `No zone runs there: ${name} does not exist.`, NEXT);
    return none;
  }
  try {
    const { root_url, operator_token } = JSON.parse(text) as Record<string, unknown>;
    return {
      ...none,
      url: rootUrl(String(root_url), `root_url in ${name}`),
      token: typeof operator_token === 'string' ? checkedToken(operator_token, name) : null,
    };
  } catch (error) {
    if (!needed) return none;
    throw error instanceof Failure ? error : usage(`${name} is not JSON.`, NEXT);
  }
}
