import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inboxPrefixOf, userNameOf, type Bus } from '@adaos/bus';
import { connectNats } from '@adaos/bus/nats';
import { natsServerConfig, type NatsConfigUser } from '@adaos/bus/nats-config';
import { subjectOf } from '@adaos/contracts';
import { startNats } from '../../../tools/services/servers.mjs';

/** Users of the broker: the services, the demo hub, and a hub whose part a test plays. */
const USERS: readonly Omit<NatsConfigUser, 'password_var'>[] = [
  { user: 'facade' },
  { user: 'router' },
  { user: 'session' },
  { user: 'policy' },
  { user: 'descriptor' },
  { user: 'audit' },
  { user: 'hub', hub_id: 'demo' },
  { user: 'hub', hub_id: 'probe' },
];

/** A router that the broker tells of no revocation: what a lost event looks like. */
export const DEAF_ROUTER = 'router-deaf';

/** A broker with the generated permissions on a random port, and a file with the password of each user. */
export async function startBroker(dir: string) {
  const users = USERS.map((user, i) => ({ ...user, password_var: `PW_${i}` }));
  const env = Object.fromEntries(
    [...users.map((user) => user.password_var), 'PW_DEAF'].map((name) => [
      name,
      `p${randomBytes(16).toString('hex')}`,
    ]),
  );
  const passwords: Record<string, string> = Object.fromEntries(
    users.map((u) => [userNameOf(u.user, u.hub_id), env[u.password_var]!]),
  );
  const passwords_file = join(dir, 'passwords.json');
  writeFileSync(passwords_file, JSON.stringify(passwords), { mode: 0o600 });
  const config_text = natsServerConfig({
    users,
    jetstream_dir: join(dir, 'jetstream'),
    port: -1,
    max_payload: 1_048_576,
  });
  const nats = await startNats({ dir: join(dir, 'nats'), config_text: withDeafRouter(config_text), env });
  return {
    url: nats.url,
    passwords_file,
    deaf_password: env['PW_DEAF']!,
    /** The connection of a hub, for a test that plays it. */
    connectHub(hub_id: string): Promise<Bus> {
      const name = userNameOf('hub', hub_id);
      const inbox_prefix = inboxPrefixOf('hub', hub_id);
      return connectNats({ url: nats.url, user: name, password: passwords[name]!, name, inbox_prefix });
    },
    stop: nats.stop,
  };
}

/** The router's own permissions under another name, less one event. */
function withDeafRouter(config_text: string): string {
  const begin = config_text.indexOf('    { user: "router",');
  const block = config_text.slice(begin, config_text.indexOf('    } }\n', begin) + '    } }\n'.length);
  const revoked = `"${subjectOf('lease_revoked')}", `;
  if (begin < 0 || !block.includes(revoked)) throw new Error('the broker configuration looks different now');
  const deaf = block
    .replace('user: "router"', `user: "${DEAF_ROUTER}"`)
    .replace(/\$PW_\d+/, '$PW_DEAF')
    .replace(revoked, '');
  return config_text.slice(0, begin) + deaf + config_text.slice(begin);
}
