import { pino, type Logger } from 'pino';

export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'child'>;

/** Paths that no log line shows, whatever object it is given. */
const SECRET_PATHS = ['authorization', 'bearer', 'token', 'password', 'secret', 'permit', 'operator_token'];

/** Structured log to stderr; stdout belongs to what the command prints. */
export function createLog(name: string, level: string): Log {
  const paths = SECRET_PATHS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  return pino({ name, level, redact: { paths, censor: '[redacted]' }, base: { name } }, pino.destination(2));
}

/** For tests and tools: nothing is written. */
export const silentLog: Log = pino({ level: 'silent' });
