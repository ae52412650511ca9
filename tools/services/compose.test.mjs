// What deploy/compose promises: hardened containers, one published port, secrets made once and shown to nobody else.
import { afterAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, createPrivateKey } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const deploy = new URL('../../deploy/', import.meta.url).pathname;
const text = readFileSync(join(deploy, 'compose/split.yaml'), 'utf8');
const { services, networks, secrets } = parse(text, { merge: true });

describe('split.yaml', () => {
  test.each(Object.entries(services))('%s has no right it does not use', (_name, service) => {
    expect(service).toMatchObject({
      restart: 'unless-stopped',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
      deploy: { resources: { limits: { cpus: expect.any(String), memory: expect.any(String) } } },
    });
    expect(service.privileged ?? service.cap_add ?? service.network_mode).toBeUndefined();
  });

  test('only the facade publishes a port, on this machine unless told otherwise', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ['facade', ['${PUBLISH:-127.0.0.1:8930}:8930']],
    ]);
    const open = Object.keys(networks).filter((name) => !networks[name].internal);
    expect(open).toEqual(['edge']);
  });

  test('the hub reaches the broker and nothing else', () => {
    const beside = Object.keys(services).filter((name) => services[name].networks.includes('hubs'));
    expect(services.agent.networks).toEqual(['hubs']);
    expect(beside.sort()).toEqual(['agent', 'nats']);
  });

  test('a service is given the broker password of its own user only', () => {
    for (const { environment: env } of Object.values(services).filter(
      ({ environment }) => environment?.NATS_USER,
    )) {
      const own = `NATS_PASSWORD_${env.NATS_USER.toUpperCase().replaceAll('-', '_')}`;
      expect(JSON.stringify(env).match(/NATS_PASSWORD_\w+/g)).toEqual([own]);
    }
  });

  test('the key that signs permits is with policy alone, the lease key with session alone', () => {
    const holders = (secret) =>
      Object.keys(services).filter((name) => services[name].secrets?.includes(secret));
    expect(holders('permit_key')).toEqual(['policy']);
    expect(holders('lease_key')).toEqual(['session']);
    expect(holders('request_state_key')).toEqual(['facade']);
    expect(holders('root_public_key')).toEqual(['agent']);
  });
});

describe('init.mjs', () => {
  const dir = mkdtempSync(join(tmpdir(), 'compose-init-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  for (const part of ['compose/init.mjs', 'nats/nats.conf']) cpSync(join(deploy, part), join(dir, part));
  const init = (...args) =>
    spawnSync(process.execPath, [join(dir, 'compose/init.mjs'), ...args], { encoding: 'utf8' }).stdout;
  const read = (name) => readFileSync(join(dir, 'compose', name), 'utf8');
  const mode = (name) => statSync(join(dir, 'compose', name)).mode & 0o777;
  const tokenIn = (output) => /adm_[A-Za-z0-9_-]{43}/.exec(output)?.[0];

  const first = init();
  const made = ['.env', ...readdirSync(join(dir, 'compose/secrets')).map((name) => `secrets/${name}`)];
  const before = Object.fromEntries(made.map((name) => [name, read(name)]));

  test('makes every variable and secret file split.yaml asks for', () => {
    const asked = [...text.matchAll(/\$\{(\w+):\?/g)].map((match) => match[1]);
    expect(asked.filter((name) => !new RegExp(`^${name}=.+$`, 'm').test(before['.env']))).toEqual([]);
    const files = Object.values(secrets).map(({ file }) => file.replace('./', ''));
    expect(files.filter((file) => !made.includes(file))).toEqual([]);
    expect(made).toContain('secrets/nats.env');
    expect(
      createPublicKey(createPrivateKey(read('secrets/permit.pem'))).export({ type: 'spki', format: 'pem' }),
    ).toBe(read('secrets/permit.pub.pem'));
  });

  test('shows the operator token once and keeps its digest only', () => {
    const token = tokenIn(first);
    expect(Object.values(before).join('')).not.toContain(token);
    expect(before['.env']).toContain(
      `BOOTSTRAP_OPERATOR_SHA256=${createHash('sha256').update(token).digest('hex')}\n`,
    );
  });

  test('closes what it made', () => {
    expect(mode('secrets')).toBe(0o700);
    expect([mode('.env'), mode('secrets/nats.env')]).toEqual([0o600, 0o600]);
  });

  test('leaves everything as it is the second time; a new operator token changes that alone', () => {
    expect(tokenIn(init())).toBeUndefined();
    expect(Object.fromEntries(made.map((name) => [name, read(name)]))).toEqual(before);
    expect(tokenIn(init('--new-operator-token'))).not.toBe(tokenIn(first));
    const changed = read('.env')
      .split('\n')
      .filter((line) => !before['.env'].includes(`${line}\n`));
    expect(changed).toEqual([expect.stringMatching(/^BOOTSTRAP_OPERATOR_SHA256=/)]);
  });
});

describe('identity.yaml', () => {
  const overlay = parse(readFileSync(join(deploy, 'compose/identity.yaml'), 'utf8'));

  test('gives session every setting of identities, and the way out to nobody else', () => {
    const settings = readFileSync(
      new URL('../../apps/session/src/admissions/settings.ts', import.meta.url),
      'utf8',
    );
    const names = [...settings.matchAll(/^ {2}(O(?:IDC|AUTH)_[A-Z_]+):/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(Object.keys(overlay.services)).toEqual(['session']);
    expect(Object.entries(overlay.services.session.environment)).toEqual(
      names.map((name) => [name, `\${${name}:-}`]),
    );
    expect(overlay.services.session.networks).toEqual(['egress']);
    expect(overlay.networks).toEqual({ egress: {} });
  });
});
