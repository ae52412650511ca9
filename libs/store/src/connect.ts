import postgres from 'postgres';
import { OpError } from '@adaos/contracts';
import { dial } from './dial.js';
import { withFaults, type Sql } from './fault.js';
import { StoreStartError } from './start-error.js';

const CONNECT_TIMEOUT_S = 5;
const IDLE_TIMEOUT_S = 60;
/** A transaction that hangs in its caller would hold a zone's append lock. */
const IDLE_IN_TRANSACTION_MS = 30_000;
const PING_LIMIT_MS = 3_000;
// After an outage the driver still waits for statements that died with their connection, up to this limit.
const CLOSE_LIMIT_S = 2;

export interface StoreOptions {
  /** `postgres://user:password@host:port/database`; `?host=/directory` names a Unix socket, as in libpq. */
  url?: string;
  options?: { host: string; port: number; user: string; database: string; password?: string };
  /** Tables live here, and it is the search path. `[a-z_][a-z0-9_]{0,62}`. */
  schema: string;
  /** Connections at most. */
  max: number;
  application_name: string;
  /** The server cancels a statement that takes longer. */
  statement_timeout_ms: number;
}

export interface Store {
  /**
   * porsager `postgres`. timestamptz comes as RFC 3339 UTC with milliseconds, bigint as a number (as a string beyond 2^53). A database that
   * can't be reached or is too slow rejects with OpError `dependency_unavailable`; other errors stay the driver's.
   */
  sql: Sql;
  schema: string;
  /** Lets running statements end, for 2 s at most. */
  close(): Promise<void>;
  /** One round trip; answers its milliseconds. @throws OpError dependency_unavailable, after 3 s at the latest. */
  ping(): Promise<number>;
}

/** Checks a schema name, which reaches DDL and the search path. @throws StoreStartError */
export function checkIdentifier(name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name)) return name;
  throw new StoreStartError(
    `"${name.slice(0, 80)}" is no schema name: use lower case letters, digits and _, 63 at most, not starting with a digit.`,
  );
}

/** "2026-01-02 03:04:05.678+00" (the session's time zone is UTC) as RFC 3339 with milliseconds. */
function instantOf(text: string): string {
  const plain = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:\+00)?$/.exec(text);
  if (plain) return `${plain[1]}T${plain[2]}.${(plain[3] ?? '').padEnd(3, '0').slice(0, 3)}Z`;
  return new Date(text).toISOString();
}

const TYPES = {
  instant: {
    to: 1184,
    from: [1184, 1114],
    serialize: (value: string | Date) => (value instanceof Date ? value.toISOString() : value),
    parse: instantOf,
  },
  bigint: {
    to: 20,
    from: [20],
    serialize: String,
    parse: (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : text),
  },
};

/** `?host=` and `?port=` are connection targets in libpq; the driver would send them to the server as settings. */
function targetOf(wanted: StoreOptions): { url: string; host?: string; port?: number } {
  let url: URL;
  try {
    url = new URL(wanted.url ?? '');
  } catch {
    throw new StoreStartError(
      'DATABASE_URL is not a URL: write postgres://user:password@host:5432/database.',
    );
  }
  if (!/^postgres(ql)?:$/.test(url.protocol)) {
    throw new StoreStartError(
      `DATABASE_URL starts with ${url.protocol}//: write postgres://user:password@host:5432/database.`,
    );
  }
  const host = url.searchParams.get('host') ?? undefined;
  const port = url.searchParams.get('port') ?? undefined;
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  return { url: url.href, host, ...(port && { port: Number(port) }) };
}

/**
 * A pool of lazy connections; nothing is dialled before the first statement.
 * @throws StoreStartError for a bad schema name or URL.
 */
export function connectStore(wanted: StoreOptions): Store {
  const schema = checkIdentifier(wanted.schema);
  const target = wanted.options ?? targetOf(wanted);
  const single =
    !('url' in target) || (!/[?&]ssl/.test(target.url) && !target.url.split('?')[0]?.includes(','));
  const settings = {
    ...('url' in target
      ? { ...(target.host && { host: target.host }), ...(target.port && { port: target.port }) }
      : target),
    max: wanted.max,
    connect_timeout: CONNECT_TIMEOUT_S,
    idle_timeout: IDLE_TIMEOUT_S,
    // The driver's own back-off grows to 20 s, during which queries neither run nor fail.
    backoff: () => 0.05,
    onnotice: () => {},
    types: TYPES,
    // TLS and host lists need the driver's own dialling.
    ...(single && { socket: dial }),
    connection: {
      application_name: wanted.application_name,
      search_path: schema,
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      statement_timeout: wanted.statement_timeout_ms,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
  };
  const raw = 'url' in target ? postgres(target.url, settings as never) : postgres(settings as never);
  const sql = withFaults(raw as unknown as Sql);
  return {
    sql,
    schema,
    close: () => sql.end({ timeout: CLOSE_LIMIT_S }),
    async ping() {
      const begun = performance.now();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new OpError('dependency_unavailable', { dependency: 'database' })),
          PING_LIMIT_MS,
        );
      });
      await Promise.race([sql`select 1`, late]).finally(() => clearTimeout(timer));
      return performance.now() - begun;
    },
  };
}
