import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a zone's keys, for processes that are given paths. */
export const keyFiles = (data_dir: string) => ({
  lease_key: join(data_dir, 'keys', 'lease.key'),
  permit_key: join(data_dir, 'keys', 'permit.pem'),
  permit_public_key: join(data_dir, 'keys', 'permit.pub.pem'),
});

export interface ZoneKeys {
  readonly hmac_key: Buffer;
  readonly permit_key: KeyObject;
  readonly permit_public_pem: string;
}

/** The zone's keys, made at the first start and kept with mode 0600: leases issued before a restart stay valid after it. */
export function loadOrCreateKeys(data_dir: string): ZoneKeys {
  const files = keyFiles(data_dir);
  mkdirSync(join(data_dir, 'keys'), { recursive: true, mode: 0o700 });
  const keep = (file: string, make: () => string) => {
    if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600, flag: 'wx' });
    return readFileSync(file, 'utf8');
  };
  const hmac_key = Buffer.from(
    keep(files.lease_key, () => randomBytes(32).toString('hex')),
    'hex',
  );
  const pem = keep(
    files.permit_key,
    () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  );
  const permit_key = createPrivateKey(pem);
  const permit_public_pem = keep(
    files.permit_public_key,
    () => createPublicKey(permit_key).export({ type: 'spki', format: 'pem' }) as string,
  );
  return { hmac_key, permit_key, permit_public_pem };
}
