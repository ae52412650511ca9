import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { until } from '../until.fixture.js';
import { BODY_CAP, probeHttp } from './http-probe.js';

jest.setTimeout(30_000);
const never = new AbortController().signal;
const open: Server[] = [];
const dirs: string[] = [];

async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<number> {
  return listen(createServer(listener), host);
}
async function listen(server: Server, host: string): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}
const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

afterEach(async () => {
  await Promise.all(
    open.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

test('a 2xx answer is ok and says what was seen', async () => {
  const port = await serve((_req, res) => res.end('hello'));
  const result = await probeHttp(
    { url: `http://user:pw@127.0.0.1:${port}/a?token=x`, timeout_ms: 2_000 },
    never,
  );
  expect(result).toMatchObject({ ok: true, status: 'ok', reason: null });
  expect(result.evidence).toEqual({
    url: `http://127.0.0.1:${port}/a`,
    http_status: 200,
    body_bytes: 5,
    body_complete: true,
    address: '127.0.0.1',
  });
});

describe('field case F23: redirects are not followed', () => {
  test.each(['/', '/login', 'http://169.254.169.254/', 'file:///etc/passwd', '/x?code=secret#f'])(
    '%s',
    async (location) => {
      let requests = 0;
      const port = await serve((_req, res) => {
        requests += 1;
        res.writeHead(302, { location }).end();
      });
      const result = await probeHttp({ url: `http://127.0.0.1:${port}/`, timeout_ms: 2_000 }, never);
      expect(result).toMatchObject({ ok: false, status: 'failed', reason: 'status 302' });
      expect(result.evidence).toMatchObject({ http_status: 302, location: location.split('?')[0] });
      expect(requests).toBe(1);
    },
  );

  test('a status that is expected is ok', async () => {
    const port = await serve((_req, res) => res.writeHead(302, { location: '/' }).end());
    const probe = { url: `http://127.0.0.1:${port}/`, timeout_ms: 2_000 };
    expect(await probeHttp({ ...probe, expect_status: 302 }, never)).toMatchObject({ ok: true });
    expect(await probeHttp({ ...probe, expect_status: 200 }, never)).toMatchObject({
      ok: false,
      reason: 'status 302',
    });
  });
});

describe('field case F24: the bound covers the last byte', () => {
  test('a body that trickles is a timeout', async () => {
    const port = await serve((_req, res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write('x'), 20);
      res.on('close', () => clearInterval(timer));
    });
    const began = performance.now();
    const result = await probeHttp({ url: `http://127.0.0.1:${port}/`, timeout_ms: 150 }, never);
    expect(result).toMatchObject({ ok: false, status: 'timeout', reason: 'timeout' });
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  test('a server that never answers is a timeout, and an outer abort ends it too', async () => {
    const port = await serve(() => undefined);
    const url = `http://127.0.0.1:${port}/`;
    expect(await probeHttp({ url, timeout_ms: 100 }, never)).toMatchObject({ status: 'timeout' });
    const outer = new AbortController();
    const pending = probeHttp({ url, timeout_ms: 60_000 }, outer.signal);
    outer.abort();
    expect(await pending).toMatchObject({ status: 'timeout' });
  });

  test('an endless body is read up to the cap', async () => {
    let sent = 0;
    const port = await serve((_req, res) => {
      res.on('error', () => undefined);
      const pump = () => {
        while (sent < 200 * 1024 * 1024 && !res.destroyed) {
          sent += 65_536;
          if (!res.write(Buffer.alloc(65_536))) return void res.once('drain', pump);
        }
      };
      pump();
    });
    const result = await probeHttp({ url: `http://127.0.0.1:${port}/`, timeout_ms: 5_000 }, never);
    expect(result).toMatchObject({ ok: true });
    expect(result.evidence).toMatchObject({ body_bytes: BODY_CAP, body_complete: false });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('sockets return to the baseline', async () => {
    const port = await serve((req, res) => {
      if (req.url === '/cut') res.destroy();
      else if (req.url === '/big') res.end(Buffer.alloc(BODY_CAP * 4));
      else res.end('x');
    });
    await until(() => sockets() === 0);
    for (let i = 0; i < 150; i++)
      await probeHttp(
        { url: `http://127.0.0.1:${port}/${['', 'cut', 'big'][i % 3]}`, timeout_ms: 2_000 },
        never,
      );
    await until(() => sockets() === 0, 4_000);
  });
});

describe('field case F25: both address families, certificates', () => {
  test.each(['127.0.0.1', '::1'])('localhost reaches a service that listens on %s only', async (host) => {
    const port = await serve((_req, res) => res.end(), host);
    const result = await probeHttp({ url: `http://localhost:${port}/`, timeout_ms: 2_000 }, never);
    expect(result).toMatchObject({ ok: true, evidence: { address: host } });
  });

  test('an IPv6 literal works, a closed port is refused', async () => {
    const port = await serve((_req, res) => res.end(), '::1');
    expect(await probeHttp({ url: `http://[::1]:${port}/`, timeout_ms: 2_000 }, never)).toMatchObject({
      ok: true,
    });
    const refused = await probeHttp({ url: `http://127.0.0.1:${port}/`, timeout_ms: 2_000 }, never);
    expect(refused).toMatchObject({ ok: false, status: 'failed', reason: 'connection refused' });
  });

  test('a name that does not exist says so', async () => {
    const result = await probeHttp({ url: 'http://no-such-name.invalid/', timeout_ms: 5_000 }, never);
    expect(result).toMatchObject({ ok: false, status: 'failed', reason: 'name not found' });
  });

  test('a certificate is judged: own authority trusted, unknown, expired, of another name', async () => {
    const { ca, key, certificate } = makeCertificates();
    const ask = async (name: string, days: string, trusted: string | undefined) => {
      const server = createTlsServer({ key, cert: certificate(name, days) }, (_req, res) => res.end());
      const port = await listen(server, '127.0.0.1');
      return probeHttp({ url: `https://localhost:${port}/`, timeout_ms: 5_000, ca: trusted }, never);
    };
    expect(await ask('localhost', '2', ca)).toMatchObject({ ok: true, evidence: { http_status: 200 } });
    const named = (code: string) => ({
      ok: false,
      status: 'failed',
      reason: `certificate: ${code}`,
      evidence: { tls_error: code },
    });
    expect(await ask('localhost', '2', undefined)).toMatchObject(named('UNABLE_TO_VERIFY_LEAF_SIGNATURE'));
    expect(await ask('localhost', '-1', ca)).toMatchObject(named('CERT_HAS_EXPIRED'));
    expect(await ask('other', '2', ca)).toMatchObject(named('ERR_TLS_CERT_ALTNAME_INVALID'));
  });

  test('a port that does not speak TLS says so', async () => {
    const port = await serve((_req, res) => res.end());
    const result = await probeHttp({ url: `https://127.0.0.1:${port}/`, timeout_ms: 2_000 }, never);
    expect(result).toMatchObject({ ok: false, status: 'failed', reason: expect.stringMatching(/^tls: /) });
  });
});

/** An authority and certificates of it, made anew for each run: no key is kept in the repository. */
function makeCertificates() {
  const dir = mkdtempSync(join(tmpdir(), 'cert-'));
  dirs.push(dir);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...fresh, '-subj', '/CN=ca', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2');
  openssl('req', ...fresh, '-subj', '/CN=x', '-keyout', 'key.pem', '-out', 'x.csr');
  const certificate = (name: string, days: string) => {
    writeFileSync(join(dir, 'ext'), `subjectAltName=DNS:${name}`);
    openssl(
      'x509',
      '-req',
      '-in',
      'x.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-days',
      days,
      '-extfile',
      'ext',
      '-out',
      'c.pem',
    );
    return readFileSync(join(dir, 'c.pem'));
  };
  return {
    ca: readFileSync(join(dir, 'ca.pem'), 'utf8'),
    key: readFileSync(join(dir, 'key.pem')),
    certificate,
  };
}
