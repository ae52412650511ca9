import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import { sha256 } from '@adaos/contracts';
import type { Clock, Log } from '@adaos/runtime';
import type { Config } from './config.js';
import { FacadeStartError } from './start-error.js';

/** Certificate and key as the server takes them, and when the certificate ends (epoch milliseconds). */
export interface Certificate {
  readonly context: SecureContextOptions;
  readonly not_after: number;
  /** Tells one pair of files from another. */
  readonly digest: string;
}

/** Milliseconds between two looks at the files. Polled: a renewal may replace them, their folder or a link to it. */
const LOOK_MS = 5_000;

type TlsSettings = Pick<Config, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;

/** The certificate the settings name; null when they name none. Throws FacadeStartError with what is wrong in one sentence. */
export function readCertificate({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key }: TlsSettings): Certificate | null {
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined)
    throw new FacadeStartError(
      'TLS_CERT_FILE and TLS_KEY_FILE belong together: set both, or none for plain HTTP.',
    );
  return certificateOf(fileIn('TLS_CERT_FILE', cert), fileIn('TLS_KEY_FILE', key));
}

function fileIn(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown fault';
    throw new FacadeStartError(`${setting} ${path} can not be read (${code}).`);
  }
}

function certificateOf(cert: Buffer, key: Buffer): Certificate {
  const read = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch {
      // The library's own text may quote the file.
      throw new FacadeStartError(what);
    }
  };
  const leaf = read('TLS_CERT_FILE holds no PEM certificate.', () => new X509Certificate(cert));
  const secret = read('TLS_KEY_FILE holds no PEM private key without a passphrase.', () =>
    createPrivateKey(key),
  );
  if (!leaf.checkPrivateKey(secret))
    throw new FacadeStartError(
      'TLS_KEY_FILE is not the key of the first certificate in TLS_CERT_FILE: the server’s own certificate comes first, its issuers after it.',
    );
  // Named here, and not left to node's default, which a flag of the process can lower.
  const context: SecureContextOptions = { cert, key, minVersion: 'TLSv1.2' };
  read('TLS_CERT_FILE and TLS_KEY_FILE can not be used together.', () => createSecureContext(context));
  return {
    context,
    not_after: Date.parse(leaf.validTo),
    digest: sha256(`${sha256(cert.toString('latin1'))}${sha256(key.toString('latin1'))}`),
  };
}

/**
 * Takes new files into use when they change: new connections get the new certificate, open ones stay. Files that can't be used, as while
 * a renewal writes one after the other, are told once in the log; the last good ones stay in use.
 */
export function watchCertificate(
  { config, clock, log }: { config: TlsSettings; clock: Clock; log: Log },
  server: Pick<Server, 'setSecureContext'>,
  first: Certificate,
  on_change: (certificate: Certificate) => void,
): () => void {
  let used = first.digest;
  let told: string | null = null;
  return clock.every(LOOK_MS, () => {
    try {
      const found = readCertificate(config);
      told = null;
      if (found === null || found.digest === used) return;
      server.setSecureContext(found.context);
      used = found.digest;
      on_change(found);
      log.info({ not_after: new Date(found.not_after).toISOString() }, 'the new TLS certificate is in use');
    } catch (error) {
      const reason = error instanceof FacadeStartError ? error.message : 'the TLS files can not be used';
      if (reason !== told)
        log.error({ reason }, 'TLS files not taken: the last good certificate stays in use');
      told = reason;
    }
  });
}
