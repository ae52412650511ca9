import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { testClock } from '@adaos/testing';
import { selfSigned, writePair } from './fixtures/certificate.js';
import { AUTH, startFacade, type FacadeUnderTest } from './fixtures/facade.js';
import { rawText } from './fixtures/raw.js';
import { FacadeStartError } from './start-error.js';

let dir = '';
let facade: FacadeUnderTest | undefined;
let files = { cert_file: '', key_file: '' };
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tls-'));
  files = { cert_file: join(dir, 'tls.crt'), key_file: join(dir, 'tls.key') };
});
afterEach(async () => {
  await facade?.stop();
  facade = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const config = () => ({ TLS_CERT_FILE: files.cert_file, TLS_KEY_FILE: files.key_file });
const port = () => Number(new URL(facade!.urls.root_url).port);

function get(path: string, ca: string, agent?: Agent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: AUTH[1] };
    request(facade!.urls.root_url + path, { ca, headers, agent: agent ?? false }, (res) => {
      let text = '';
      res.on('data', (chunk) => (text += chunk));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });
}
const handshake = (options: object = {}) =>
  new Promise<{ cn: string; protocol: string | null; socket: TLSSocket }>((resolve, reject) => {
    const socket = connect({ port: port(), host: '127.0.0.1', rejectUnauthorized: false, ...options }, () =>
      resolve({ cn: String(socket.getPeerCertificate().subject.CN), protocol: socket.getProtocol(), socket }),
    );
    socket.once('error', reject);
  });
const served = async () => {
  const { cn, socket } = await handshake();
  socket.destroy();
  return cn;
};

describe('HTTPS by an own certificate', () => {
  test('a client that trusts it is served; the URLs say https', async () => {
    const pair = await selfSigned('one');
    writePair(files, pair);
    facade = await startFacade({ config: config() });
    expect(facade.urls.mcp_url).toBe(`https://127.0.0.1:${port()}/v1/root/mcp`);
    expect(await get('/healthz', pair.cert)).toEqual({ status: 200, text: '{"ok":true}' });
    expect((await get('/v1/root/mcp/targets', pair.cert)).status).toBe(200);
    expect(facade.router.on('router_call').at(-1).client.address).toBe('127.0.0.1');
    await expect(get('/healthz', (await selfSigned('other')).cert)).rejects.toThrow(/certificate/);
    expect(await facade.metrics()).toMatch(/adaos_facade_tls_not_after_seconds \d{10}/);
  });

  test('nothing below TLS 1.2, and no plain HTTP on the port', async () => {
    writePair(files, await selfSigned('one'));
    facade = await startFacade({ config: config() });
    const old = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(handshake(old)).rejects.toThrow();
    for (const version of ['TLSv1.2', 'TLSv1.3']) {
      const { protocol, socket } = await handshake({ minVersion: version, maxVersion: version });
      socket.destroy();
      expect(protocol).toBe(version);
    }
    const plain = await rawText(facade.urls.root_url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n').catch(
      () => '',
    );
    expect(plain).not.toContain('HTTP/1.1');
  });

  test('new files are taken while connections stay; bad ones are not', async () => {
    const clock = testClock(Date.now());
    const first = await selfSigned('first');
    writePair(files, first);
    const errors: string[] = [];
    facade = await startFacade({ config: config(), clock, log: logTo(errors) });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await get('/healthz', first.cert, agent)).status).toBe(200);

    const second = await selfSigned('second');
    writeFileSync(files.cert_file, second.cert);
    clock.advance(5_000);
    // The key is still the old one: a renewal is on its way.
    expect(await served()).toBe('first');
    clock.advance(5_000);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('TLS_KEY_FILE is not the key');
    writePair(files, second);
    clock.advance(5_000);
    expect(await served()).toBe('second');
    // The old connection goes on under the certificate it began with.
    expect((await get('/healthz', first.cert, agent)).status).toBe(200);

    for (const [what, bad] of [
      ['no PEM certificate', 'nonsense'],
      ['no PEM certificate', ''],
    ] as const) {
      writeFileSync(files.cert_file, bad);
      clock.advance(5_000);
      expect(await served()).toBe('second');
      expect(errors.at(-1)).toContain(what);
    }
    rmSync(files.cert_file);
    clock.advance(5_000);
    expect(errors.at(-1)).toContain('ENOENT');
    expect(await served()).toBe('second');
    writePair(files, await selfSigned('third'));
    clock.advance(5_000);
    expect(await served()).toBe('third');
    agent.destroy();
  });

  test('files that can not be used refuse the start, in one sentence that quotes none of them', async () => {
    const pair = await selfSigned('one');
    const other = await selfSigned('other');
    const bad: [object, RegExp][] = [
      [{ TLS_CERT_FILE: files.cert_file }, /^TLS_CERT_FILE and TLS_KEY_FILE belong together/],
      [{ TLS_KEY_FILE: files.key_file }, /^TLS_CERT_FILE and TLS_KEY_FILE belong together/],
      [
        { ...config(), TLS_KEY_FILE: join(dir, 'gone') },
        /^TLS_KEY_FILE .*gone can not be read \(ENOENT\)\.$/,
      ],
    ];
    writePair(files, pair);
    for (const [given, words] of bad) await expect(startFacade({ config: given })).rejects.toThrow(words);
    const contents: [string, string, RegExp][] = [
      [pair.cert, other.key, /^TLS_KEY_FILE is not the key of the first certificate/],
      ['secret-text', pair.key, /^TLS_CERT_FILE holds no PEM certificate\.$/],
      [pair.cert, 'secret-text', /^TLS_KEY_FILE holds no PEM private key/],
    ];
    for (const [cert, key, words] of contents) {
      writePair(files, { cert, key });
      const error: unknown = await startFacade({ config: config() }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(FacadeStartError);
      expect((error as Error).message).toMatch(words);
      expect((error as Error).message).not.toContain('secret-text');
    }
  });
});

/** A log whose error lines end up in a list, as JSON. */
function logTo(errors: string[]) {
  const quiet = () => undefined;
  const log = {
    error: (...args: unknown[]) => errors.push(JSON.stringify(args)),
    warn: quiet,
    info: quiet,
    debug: quiet,
  };
  return { ...log, child: () => log } as unknown as NonNullable<Parameters<typeof startFacade>[0]>['log'];
}
