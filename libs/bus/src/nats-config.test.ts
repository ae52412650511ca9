import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { permissionsOf, subjectOf } from '@adaos/contracts';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { natsServerConfig } from './nats-config.js';
import { connectNats } from './nats.js';
import { inboxPrefixOf, userNameOf } from './permissions.js';
import type { Bus } from './port.js';
import { BOUNDS, eventually, settled } from './suite/fixture.js';
import { passwordOf, startGuardedServer } from './suite/nats-fixture.js';
import { natsServerLeg, type NatsServer } from './suite/nats-server.js';

/** A busy machine is no fault of the bus; what must be quick is measured by the test itself. */
jest.setTimeout(30_000);

/** The subject table has a test of its own; what it holds today is not pinned twice. */
const listed = (subjects: string[]) => subjects.map((subject) => `"${subject}"`).join(', ');

const BASE = { jetstream_dir: '/data', port: 4222, max_payload: 1024 * 1024 };

test('the file names each user’s subjects, inbox and password variable', () => {
  const text = natsServerConfig({
    ...BASE,
    http_port: 8222,
    tls: { cert_file: '/tls/server.crt', key_file: '/tls/server.key' },
    users: [
      { user: 'hub', hub_id: 'h1', password_var: 'HUB_H1' },
      { user: 'audit', password_var: 'AUDIT' },
      { user: 'service', service_name: 'billing', password_var: 'BILLING' },
    ],
  });
  expect(text).toBe(`# Made by natsServerConfig() of libs/bus from the subject table; edit that, not this.
port: 4222
http_port: 8222
max_payload: 1049600
tls { cert_file: "/tls/server.crt", key_file: "/tls/server.key" }
jetstream { store_dir: "/data" }
authorization {
  users: [
    { user: "hub-h1", password: $HUB_H1, permissions: {
      publish: { allow: ["mcp.v1.to_root.h1.report", "mcp.v1.to_root.h1.event", "mcp.v1.to_root.h1.progress"] }
      subscribe: { allow: ["mcp.v1.to_hub.h1.exec", "mcp.v1.to_hub.h1.cancel", "mcp.v1.to_hub.h1.control", "_INBOX.hub-h1.>"] }
      allow_responses: { max: 1, expires: "15m" }
    } }
    { user: "audit", password: $AUDIT, permissions: {
      publish: { allow: [${listed(permissionsOf('audit').publish)}, "$JS.API.STREAM.CREATE.MCP_AUDIT", "$JS.API.STREAM.UPDATE.MCP_AUDIT", "$JS.API.STREAM.INFO.MCP_AUDIT", "$JS.API.CONSUMER.CREATE.MCP_AUDIT.*", "$JS.API.CONSUMER.MSG.NEXT.MCP_AUDIT.*", "$JS.ACK.MCP_AUDIT.>"] }
      subscribe: { allow: [${listed(permissionsOf('audit').subscribe)}, "_INBOX.audit.>"] }
      allow_responses: { max: 1, expires: "15m" }
    } }
    { user: "service-billing", password: $BILLING, permissions: {
      publish: { allow: [${listed(permissionsOf('service').publish)}] }
      subscribe: { allow: ["_INBOX.service-billing.>"] }
    } }
  ]
}
`);
});

test('whoever may publish nothing is denied everything', () => {
  const users = [{ user: 'descriptor', password_var: 'DESCRIPTOR' }] as const;
  const { publish } = permissionsOf('descriptor');
  const line = publish.length === 0 ? 'publish: { deny: [">"] }' : `publish: { allow: [${listed(publish)}] }`;
  expect(natsServerConfig({ ...BASE, users })).toContain(line);
});

test('nothing that could change the file’s meaning gets into it', () => {
  const hub = { user: 'hub', hub_id: 'h1', password_var: 'HUB' } as const;
  const refused = [
    { ...BASE, users: [{ ...hub, hub_id: 'h1", password: x' }] },
    { ...BASE, users: [{ ...hub, hub_id: '*' }] },
    { ...BASE, users: [{ ...hub, hub_id: undefined }] },
    { ...BASE, users: [{ ...hub, password_var: 'hub }' }] },
    { ...BASE, users: [hub, hub] },
    { ...BASE, users: [hub], jetstream_dir: '/data"\nport: 1' },
    { ...BASE, users: [hub], port: 1.5 },
    { ...BASE, users: [hub], max_payload: 0 },
    { ...BASE, users: [hub], tls: { cert_file: 'a\nb', key_file: 'k' } },
  ];
  for (const config of refused) expect(() => natsServerConfig(config)).toThrow(TypeError);
});

test('every hub and every other service is a user with an inbox of its own', () => {
  expect(userNameOf('router')).toBe('router');
  expect([inboxPrefixOf('router'), inboxPrefixOf('hub', 'h1'), inboxPrefixOf('service', 'billing')]).toEqual([
    '_INBOX.router',
    '_INBOX.hub-h1',
    '_INBOX.service-billing',
  ]);
  for (const id of [undefined, '*', 'a.b', '']) expect(() => inboxPrefixOf('hub', id)).toThrow(TypeError);
});

natsServerLeg(() =>
  describe('a server with this file', () => {
    let server: NatsServer;
    let router: Bus;
    let h2: Bus;
    let intruder: NatsConnection;

    const login = (user: 'router' | 'hub', hub_id?: string) => {
      const name = userNameOf(user, hub_id);
      return { user: name, password: passwordOf(name), name };
    };
    beforeAll(async () => {
      server = await startGuardedServer();
      const bus = (user: 'router' | 'hub', hub_id?: string) =>
        connectNats({ url: server.url, ...login(user, hub_id), inbox_prefix: inboxPrefixOf(user, hub_id) });
      router = await bus('router');
      h2 = await bus('hub', 'h2');
      const { user, password } = login('hub', 'h1');
      intruder = await connect({ servers: server.url, user, pass: password });
    });
    afterAll(async () => {
      await Promise.all([router.close(), h2.close(), intruder.close()]);
      await server.stop();
    });

    test('h1 with a client of its own hears neither h2’s calls nor anyone’s replies', async () => {
      const subjects = [
        '>',
        '_INBOX.>',
        '_INBOX.router.>',
        '_INBOX.hub-h2.>',
        'mcp.v1.>',
        'mcp.v1.to_hub.>',
        'mcp.v1.to_hub.h2.exec',
      ];
      subjects.push('mcp.v1.to_hub.*.exec', 'mcp.v1.to_root.*.report', 'mcp.v1.audit.>', '$JS.>', '$SYS.>');
      const refused: string[] = [];
      const overheard: string[] = [];
      for (const subject of subjects) {
        intruder.subscribe(subject, {
          callback(error, msg) {
            if (error) refused.push(subject);
            else overheard.push(msg.subject);
          },
        });
      }
      await eventually('all refusals', () => refused.length === subjects.length);
      h2.serve(subjectOf('hub_exec', 'h2'), BOUNDS, async () => 'secret of h2');
      await settled(h2);
      for (let n = 0; n < 20; n += 1)
        expect(await router.request(subjectOf('hub_exec', 'h2'), n, { timeout_ms: 5_000 })).toBe(
          'secret of h2',
        );
      await intruder.flush();
      expect(overheard).toEqual([]);
      expect([...refused].sort()).toEqual([...subjects].sort());
    });

    test('h1 with a client of its own can write to no inbox, no stream and no one else’s subject', async () => {
      const subjects = [
        '_INBOX.router.x.1',
        '_INBOX.hub-h2.x',
        'mcp.v1.to_hub.h2.exec',
        'mcp.v1.to_root.h2.report',
      ];
      subjects.push(
        'mcp.v1.audit.hub',
        'mcp.v1.audit.audit',
        'mcp.v1.event.lease.revoked',
        '$JS.API.STREAM.DELETE.MCP_AUDIT',
      );
      subjects.push('$JS.API.STREAM.CREATE.X', '$JS.API.INFO', '$JS.ACK.MCP_AUDIT.audit.1.1.1.1.0');
      const refused = new Set<string>();
      void (async () => {
        for await (const status of intruder.status())
          if (status.type === 'error') refused.add(/"(.+?)"/.exec(status.error.message)?.[1] ?? '');
      })();
      for (const subject of subjects) intruder.publish(subject, '{}');
      await eventually('all refusals', () => refused.size >= subjects.length);
      expect([...refused].sort()).toEqual([...subjects].sort());
    });
  }),
);
