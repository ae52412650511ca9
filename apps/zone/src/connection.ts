import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What tools need to reach a running zone. The file holds secrets: mode 0600, gone when the zone stops. */
export interface Connection {
  readonly root_url: string;
  /** Of every facade, the first one included, where there are several. */
  readonly root_urls?: readonly string[];
  readonly mcp_url: string;
  readonly console_url: string;
  readonly zone: string;
  readonly target_id: string;
  readonly subnet_id: string;
  readonly bearer: string;
  readonly operator_token: string;
  readonly pid: number;
}

const fileOf = (data_dir: string) => join(data_dir, 'connection.json');

/** Writes it whole or not at all: a reader never sees half a file. */
export function writeConnection(data_dir: string, connection: Connection): string {
  const file = fileOf(data_dir);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(connection, null, 2) + '\n', { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

/** Removes it if this process wrote it: another zone may have been started on the same directory since, and its tools need the file. */
export function removeConnection(data_dir: string): void {
  const file = fileOf(data_dir);
  if (pidIn(file) === process.pid) rmSync(file, { force: true });
}

function pidIn(file: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Partial<Connection>).pid;
  } catch {
    // Gone or not ours to judge: nothing to remove.
    return undefined;
  }
}
