import { readKeyRing, readSigningKey } from '@adaos/runtime';
import { createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a zone's keys, for processes that are given paths. */
export const keyFiles = (data_dir: string) => ({
  lease_key: join(data_dir, 'keys', 'lease.key'),
  request_state_key: join(data_dir, 'keys', 'request-state.key'),
  permit_key: join(data_dir, 'keys', 'permit.pem'),
  permit_public_key: join(data_dir, 'keys', 'permit.pub.pem'),
});

export interface ZoneKeys {
  /** The newest first. */
  readonly hmac_keys: readonly Buffer[];
  readonly request_state_keys: readonly Buffer[];
  readonly permit_key: KeyObject;
  readonly permit_public_pem: string;
}

/**
 * The zone's keys, made at the first start and kept with mode 0600: leases issued before a restart stay valid after it. Throws
 * ConfigError for a file that holds no such key; it is never replaced, since what was signed with the lost key may still be about.
 */
export function loadOrCreateKeys(data_dir: string): ZoneKeys {
  const files = keyFiles(data_dir);
  mkdirSync(join(data_dir, 'keys'), { recursive: true, mode: 0o700 });
  const keep = (file: string, make: () => string) => {
    if (!existsSync(file)) writeWhole(file, make());
    return file;
  };
  const hmac_keys = readKeyRing(
    'ZONE_DATA_DIR',
    keep(files.lease_key, () => randomBytes(32).toString('hex')),
  );
  const request_state_keys = readKeyRing(
    'ZONE_DATA_DIR',
    keep(files.request_state_key, () => randomBytes(32).toString('hex')),
  );
  const permit_key = readSigningKey(
    'ZONE_DATA_DIR',
    keep(
      files.permit_key,
      () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    ),
  );
  const permit_public_pem = createPublicKey(permit_key).export({ type: 'spki', format: 'pem' }) as string;
  // Derived, so it can be mended: an agent that checks permits by another key than policy signs with refuses every call.
  if (
    !existsSync(files.permit_public_key) ||
    readFileSync(files.permit_public_key, 'utf8') !== permit_public_pem
  )
    writeWhole(files.permit_public_key, permit_public_pem);
  return { hmac_keys, request_state_keys, permit_key, permit_public_pem };
}

/** On disk before it has its name: a crash in between leaves no empty key behind, which would sign as if there were none. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, file);
}
