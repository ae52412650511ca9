// node deploy/compose/init.mjs [--new-operator-token]
// Makes what split.yaml needs and no repository may hold: `.env` and `secrets/`, with random passwords and keys. What is there stays;
// what is missing is added. The operator token is shown once: only its SHA-256 is kept.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({ options: { 'new-operator-token': { type: 'boolean' } } });
const here = (path) => new URL(path, import.meta.url).pathname;
const ENV_FILE = here('.env');

/** A broker takes a password that starts with a letter and holds letters and digits as a text, whatever it looks like. */
const password = () => `p${randomBytes(24).toString('hex')}`;

/**
 * Secrets that containers read as files: bind mounts keep the mode, and every image runs under another user id, so the files
 * are readable and the directory above them is closed.
 */
function keep(name, make) {
  const file = here(`secrets/${name}`);
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o444, flag: 'wx' });
  return readFileSync(file, 'utf8');
}

function readEnv() {
  if (!existsSync(ENV_FILE)) return {};
  const lines = readFileSync(ENV_FILE, 'utf8').split('\n');
  return Object.fromEntries(
    lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
}

function write(file, values, heading) {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  writeFileSync(`${file}.new`, [...heading, ...lines, ''].join('\n'), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

mkdirSync(here('secrets'), { recursive: true, mode: 0o700 });
chmodSync(here('secrets'), 0o700);

keep('lease.key', () => randomBytes(32).toString('hex'));
keep('request-state.key', () => randomBytes(32).toString('hex'));
const permit_key = keep('permit.pem', () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
);
keep('permit.pub.pem', () =>
  createPublicKey(createPrivateKey(permit_key)).export({ type: 'spki', format: 'pem' }),
);
const postgres_password = keep('postgres-password', password);
const redis_conf = keep('redis.conf', () =>
  // Counters only. Full means refused: dropping a counter would lift a limit.
  ['bind * -::*', 'save ""', 'appendonly no', 'maxmemory 128mb', 'maxmemory-policy noeviction']
    .concat(`requirepass ${password()}`, '')
    .join('\n'),
);
const redis_password = /^requirepass (\S+)$/m.exec(redis_conf)[1];

const env = { ZONE: 'local', ...readEnv() };
// One broker user for each service and hub: their list is the generated configuration's.
const nats_conf = readFileSync(here('../nats/nats.conf'), 'utf8');
for (const variable of nats_conf.match(/(?<=\$)NATS_PASSWORD_\w+/g)) env[variable] ??= password();
env.DATABASE_URL ??= `postgres://adaos:${postgres_password}@postgres:5432/adaos`;
env.REDIS_URL ??= `redis://:${redis_password}@redis:6379`;

let operator_token = null;
if (options['new-operator-token'] || !env.BOOTSTRAP_OPERATOR_SHA256) {
  operator_token = `adm_${randomBytes(32).toString('base64url')}`;
  env.BOOTSTRAP_OPERATOR_SHA256 = createHash('sha256').update(operator_token).digest('hex');
}

write(ENV_FILE, env, ['# Made by init.mjs; holds passwords. Further settings are named in split.yaml.']);
const broker = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('NATS_PASSWORD_')));
// Read on the host by compose, so nobody else needs to.
write(here('secrets/nats.env'), broker, ['# Made by init.mjs from .env, for the broker.']);

console.log('settings  deploy/compose/.env, deploy/compose/secrets/');
if (operator_token) {
  console.log(`operator  ${operator_token}`);
  console.log(
    '          shown once, admin of the zone: export OPERATOR=<it>; --new-operator-token makes another',
  );
} else console.log('operator  as before (--new-operator-token makes another)');
