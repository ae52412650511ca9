// Writes deploy/nats/nats.conf: one broker user per service and per hub, permissions from the subject table of libs/contracts.
//   node tools/generators/nats-config.mjs [--hub <hub_id>]... [--service <name>]... [--stdout]
// Without --hub: the demo hub. Passwords are variables of the broker's environment, NATS_PASSWORD_<USER>; deploy/compose/init.mjs makes them.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const FILE = new URL('../../deploy/nats/nats.conf', import.meta.url);
const SOURCES = `
export { BUS_USERS } from '@adaos/contracts';
export { natsServerConfig } from '@adaos/bus/nats-config';
`;

/** Our libraries are TypeScript: bundled in memory, so that this runs on a checkout that was never built. */
async function libraries() {
  const { outputFiles } = await build({
    stdin: { contents: SOURCES, resolveDir: new URL('.', import.meta.url).pathname },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** Monitoring asks for no password, and its /connz names users, addresses and subjects: a hub on the same network must not read it. */
const MONITORING =
  '# For health checks beside the server; it answers without a password.\nhttp: "127.0.0.1:8222"\n';

/** `hub-lab-1` → `NATS_PASSWORD_HUB_LAB_1`. */
const variable = (name) => `NATS_PASSWORD_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;

/**
 * @param {{ hubs?: readonly string[], services?: readonly string[] }} [extra] hub ids and names of other AdaOS services
 * @returns {Promise<string>} the text of the file
 */
export async function natsConf({ hubs = ['demo'], services = [] } = {}) {
  const { BUS_USERS, natsServerConfig } = await libraries();
  const users = [
    ...BUS_USERS.filter((user) => user !== 'hub' && user !== 'service').map((user) => ({
      user,
      password_var: variable(user),
    })),
    ...hubs.map((hub_id) => ({ user: 'hub', hub_id, password_var: variable(`hub-${hub_id}`) })),
    ...services.map((name) => ({
      user: 'service',
      service_name: name,
      password_var: variable(`service-${name}`),
    })),
  ];
  const variables = users.map(({ password_var }) => password_var);
  const twice = variables.find((name, i) => variables.indexOf(name) !== i);
  // Two users with one password would be one user.
  if (twice) throw new TypeError(`two users would share ${twice}: rename one`);
  const text = natsServerConfig({
    users,
    jetstream_dir: '/data/jetstream',
    port: 4222,
    max_payload: 1024 * 1024,
  });
  return text + MONITORING;
}

if (process.argv[1]?.endsWith('nats-config.mjs')) {
  const list = { type: 'string', multiple: true };
  const { values } = parseArgs({ options: { hub: list, service: list, stdout: { type: 'boolean' } } });
  const text = await natsConf({ hubs: values.hub, services: values.service });
  if (values.stdout) process.stdout.write(text);
  else writeFileSync(FILE, text);
}
