import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig } from '@adaos/runtime';
import { Config } from './config.js';
import { removeConnection, writeConnection, type Connection } from './connection.js';
import { startZone } from './zone.js';

describe('the connection file belongs to the zone that runs', () => {
  let dir: string;
  const file = () => join(dir, 'connection.json');
  const write = (pid: number) => writeConnection(dir, { pid } as Connection);
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'zone-start-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  test('who wrote it removes it; another process’s stays', () => {
    write(process.pid);
    removeConnection(dir);
    expect(existsSync(file())).toBe(false);
    write(process.ppid);
    removeConnection(dir);
    expect(existsSync(file())).toBe(true);
  });

  test('a missing or broken file is no failure of a stop', () => {
    removeConnection(dir);
    writeFileSync(file(), '{');
    removeConnection(dir);
    expect(existsSync(file())).toBe(true);
  });

  test('a start that fails leaves it alone', async () => {
    // Our own pid: were the removal not bound to the writing, the pid check would let it through here.
    write(process.pid);
    const config = loadConfig(Config, {
      ZONE_DATA_DIR: dir,
      ZONE_PORT: '0',
      ZONE_LOG_LEVEL: 'silent',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    });
    await expect(startZone(config, () => {})).rejects.toThrow();
    expect(existsSync(file())).toBe(true);
  });
});
