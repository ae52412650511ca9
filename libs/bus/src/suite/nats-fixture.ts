import type { BusUser } from '@adaos/contracts';
import { natsServerConfig, type NatsConfigUser } from '../nats-config.js';
import { connectNats } from '../nats.js';
import { inboxPrefixOf, userNameOf } from '../permissions.js';
import type { Bus } from '../port.js';
import type { BusFixture } from './fixture.js';
import { startNatsServer, type NatsServer } from './nats-server.js';

const USERS: readonly Omit<NatsConfigUser, 'password_var'>[] = [
  ...(['facade', 'router', 'session', 'policy', 'descriptor', 'audit', 'service'] as const).map((user) => ({
    user,
  })),
  { user: 'hub', hub_id: 'h1' },
  { user: 'hub', hub_id: 'h2' },
];

const variableOf = (name: string) => `PASSWORD_${name.toUpperCase().replaceAll('-', '_')}`;
export const passwordOf = (name: string) => `pw_${name}`;

/** A real server that holds the generated permissions: what a deployment gets. */
export async function startGuardedServer(): Promise<NatsServer> {
  const named = USERS.map((entry) => ({ ...entry, name: userNameOf(entry.user, entry.hub_id) }));
  return startNatsServer({
    config: (jetstream_dir, port) =>
      natsServerConfig({
        users: named.map(({ user, hub_id, name }) => ({ user, hub_id, password_var: variableOf(name) })),
        jetstream_dir,
        port,
        host: '127.0.0.1',
        max_payload: 1024 * 1024,
      }),
    variables: Object.fromEntries(named.map(({ name }) => [variableOf(name), passwordOf(name)])),
  });
}

export async function natsFixture(): Promise<BusFixture> {
  const server = await startGuardedServer();
  const buses: Bus[] = [];
  return {
    async connect(user: BusUser, hub_id?: string) {
      const name = userNameOf(user, hub_id);
      const inbox_prefix = inboxPrefixOf(user, hub_id);
      const bus = await connectNats({
        url: server.url,
        user: name,
        password: passwordOf(name),
        name,
        inbox_prefix,
      });
      buses.push(bus);
      return bus;
    },
    async close() {
      await Promise.all(buses.map((bus) => bus.close()));
      await server.stop();
    },
  };
}
