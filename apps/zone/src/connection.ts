import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What tools need to reach a running zone. The file holds secrets: mode 0600, gone when the zone stops. */
export interface Connection {
  readonly root_url: string;
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

export const removeConnection = (data_dir: string) => rmSync(fileOf(data_dir), { force: true });
