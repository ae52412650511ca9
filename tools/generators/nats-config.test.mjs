import { afterAll, expect, test } from '@jest/globals';
import { connect } from '@nats-io/transport-node';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findBinary } from '../services/binary.mjs';
import { startNats } from '../services/servers.mjs';

const root = new URL('../..', import.meta.url).pathname;
const committed = readFileSync(new URL('../../deploy/nats/nats.conf', import.meta.url), 'utf8');
const generate = (...args) =>
  spawnSync(process.execPath, ['tools/generators/nats-config.mjs', '--stdout', ...args], {
    cwd: root,
    encoding: 'utf8',
  });

let server;
afterAll(() => server?.stop());

test('the committed file is what the subject table says (else: node tools/generators/nats-config.mjs)', () => {
  expect(committed).toBe(generate().stdout);
});

test('every hub and every other service gets a user and a password variable of its own', () => {
  const { stdout } = generate('--hub', 'lab-1', '--hub', 'lab-2', '--service', 'planner');
  expect(stdout).toContain('{ user: "hub-lab-1", password: $NATS_PASSWORD_HUB_LAB_1,');
  expect(stdout).toContain('{ user: "hub-lab-2", password: $NATS_PASSWORD_HUB_LAB_2,');
  expect(stdout).toContain('{ user: "service-planner", password: $NATS_PASSWORD_SERVICE_PLANNER,');
  expect(stdout).not.toContain('hub-demo');
});

test('ids that would share a password variable are refused', () => {
  const { status, stderr } = generate('--hub', 'lab-1', '--hub', 'lab_1');
  expect(status).toBe(1);
  expect(stderr).toContain('two users would share NATS_PASSWORD_HUB_LAB_1');
});

(findBinary('nats-server') ? test : test.skip)(
  'a broker takes it, and a hub hears its own subjects only',
  async () => {
    const variables = committed.match(/(?<=\$)NATS_PASSWORD_\w+/g);
    const env = Object.fromEntries(variables.map((name, i) => [name, `p${i}`]));
    server = await startNats({ config_text: committed, env });
    const pass = env.NATS_PASSWORD_HUB_DEMO;
    const hub = await connect({
      servers: server.url,
      user: 'hub-demo',
      pass,
      inboxPrefix: '_INBOX.hub-demo',
    });
    const refusal = (subject) =>
      new Promise((resolve) => {
        hub.subscribe(subject, { callback: (error) => resolve(error?.message ?? 'heard') });
        void hub.flush().then(() => resolve('allowed'));
      });
    expect(await refusal('mcp.v1.to_hub.demo.exec')).toBe('allowed');
    expect(await refusal('mcp.v1.to_hub.other.exec')).toMatch(/permission/i);
    expect(await refusal('_INBOX.router.>')).toMatch(/permission/i);
    await hub.close();
    await expect(
      connect({ servers: server.url, user: 'hub-demo', pass: 'wrong', reconnect: false }),
    ).rejects.toThrow(/authorization/i);
  },
);
