import { createPublicKey } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { keyFiles, loadOrCreateKeys } from './keys.js';

describe('keys of a zone', () => {
  let dir: string;
  const files = () => keyFiles(dir);
  const put = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'keys-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  test('are made once, for their owner only, and nothing else is left beside them', () => {
    const made = loadOrCreateKeys(dir);
    expect(made.hmac_keys.map((key) => key.length)).toEqual([32]);
    const again = loadOrCreateKeys(dir);
    expect(again.hmac_keys).toEqual(made.hmac_keys);
    expect(again.permit_key.equals(made.permit_key)).toBe(true);
    expect(again.permit_public_pem).toBe(made.permit_public_pem);
    expect(again.request_state_keys).toEqual(made.request_state_keys);
    expect(readdirSync(join(dir, 'keys')).sort()).toEqual([
      'lease.key',
      'permit.pem',
      'permit.pub.pem',
      'request-state.key',
    ]);
    for (const file of Object.values(files())) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('an empty or cut lease key is refused, never used as a short one', () => {
    for (const text of ['', 'ab'.repeat(31)]) {
      put(files().lease_key, text);
      expect(() => loadOrCreateKeys(dir)).toThrow(/lease\.key must hold one to 4 lines of 64 hex digits/);
    }
  });

  test('a request-state key may have older ones below it, and nothing else', () => {
    const [newer, older] = ['ab'.repeat(32), 'cd'.repeat(32)];
    put(files().request_state_key, `${newer}\n${older}\n`);
    expect(loadOrCreateKeys(dir).request_state_keys.map((key) => key.toString('hex'))).toEqual([
      newer,
      older,
    ]);
    for (const text of ['', 'ab', `${newer}\nx`, `${newer}\n`.repeat(5)]) {
      put(files().request_state_key, text);
      expect(() => loadOrCreateKeys(dir)).toThrow(
        /request-state\.key must hold one to 4 lines of 64 hex digits/,
      );
    }
  });

  test('a permit key that is none is refused', () => {
    put(files().permit_key, '');
    expect(() => loadOrCreateKeys(dir)).toThrow(/permit\.pem is no PEM key/);
  });

  test('a public key that is not the private one’s is mended', () => {
    const { permit_key, permit_public_pem } = loadOrCreateKeys(dir);
    writeFileSync(files().permit_public_key, '');
    expect(loadOrCreateKeys(dir).permit_public_pem).toBe(permit_public_pem);
    const file = readFileSync(files().permit_public_key, 'utf8');
    expect(createPublicKey(file).equals(createPublicKey(permit_key))).toBe(true);
  });
});
