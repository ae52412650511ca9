import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from './config.js';

const read = (name: string, file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError([`${name}: can not read ${file}`]);
  }
};

/** Keys a file may hold at once: the one in use and those it replaced. */
const MAX_KEYS = 4;

/** One or more keys of 32 bytes, a line of 64 hex digits each: the first is used, the others still count. Throws ConfigError. */
export function readKeyRing(name: string, file: string): readonly Buffer[] {
  const lines = read(name, file)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (lines.length === 0 || lines.length > MAX_KEYS || !lines.every((line) => /^[0-9a-f]{64}$/.test(line)))
    throw new ConfigError([
      `${name}: ${file} must hold one to ${MAX_KEYS} lines of 64 hex digits (openssl rand -hex 32), the newest first`,
    ]);
  return lines.map((line) => Buffer.from(line, 'hex'));
}

/** A secret on the one line of a file, such as a client's password. Throws ConfigError. */
export function readSecret(name: string, file: string): string {
  const text = read(name, file);
  if (!/^[\x21-\x7e]{1,512}$/.test(text))
    throw new ConfigError([`${name}: ${file} must hold one line of printable characters`]);
  return text;
}

/** An Ed25519 private key as PKCS #8 PEM. Throws ConfigError. */
export function readSigningKey(name: string, file: string): KeyObject {
  const key = parse(name, file, createPrivateKey);
  if (key.asymmetricKeyType !== 'ed25519') throw new ConfigError([`${name}: ${file} must be an Ed25519 key`]);
  return key;
}

/** An Ed25519 public key as SPKI PEM. Throws ConfigError. */
export const readPublicKey = (name: string, file: string): KeyObject => parse(name, file, createPublicKey);

function parse(name: string, file: string, create: (pem: string) => KeyObject): KeyObject {
  const pem = read(name, file);
  try {
    return create(pem);
  } catch {
    throw new ConfigError([`${name}: ${file} is no PEM key`]);
  }
}
