import { code, codes, page, table } from './markdown.mjs';

/** For settings whose schema has no description of its own and no namesake that has one. */
const WORDS = {
  REPLICAS: 'Processes of router, session, policy, descriptor and audit each.',
  NATS_PASSWORDS_FILE: 'JSON file `{ user: password }` for a broker with accounts.',
  AGENT_CONFIG: 'The hub’s file: what may be run, checked and read there.',
  AGENT_DATA_DIR: 'Journal, locks, process files and captured output of the agent.',
  ROOT_PUBLIC_KEY_FILE: 'Public half of the permit key (PEM). Permits are checked against it.',
};

const FILE_WORDS = {
  hub_id: 'Id of this hub; the target is `hub:<hub_id>`.',
  disk_path: 'Where free disk space is measured.',
  services: 'Processes the agent keeps running; see below.',
  health_checks: '`http`, `tcp` or `service` checks by name.',
  log_sources: 'Log files, or the captured output of a service, by name.',
  log_roots: 'Folders in which a log file must really lie.',
  limits: 'Reads at once, bytes of an answer, bytes of captured output per file.',
  heartbeat_ms: 'Milliseconds between reports, until root says otherwise.',
};

const ORDER = ['zonal-facade', 'router', 'session', 'policy', 'descriptor', 'audit'];

export function settingsPage({ configs, runtime_settings, split_config, agent_file }) {
  const { CommonSettings, BusSettings } = runtime_settings;
  const all = [...Object.values(configs), split_config?.Config].filter(Boolean);
  const known = { ...WORDS };
  for (const { properties } of [{ properties: { ...CommonSettings, ...BusSettings } }, ...all])
    for (const [name, field] of Object.entries(properties))
      if (field.description) known[name] ??= field.description;

  const section = (title, text, schema) => [`## ${title}`, text, settingsTable(schema, known)];
  const shared = Object.keys({ ...CommonSettings, ...BusSettings });
  return page(
    'Settings',
    'apps/*/src/config.ts, tools/split/config.ts and libs/runtime/src/settings.ts',
    'Settings come from the environment and are read once, at start. Everything that is wrong is told at once and the process ends with 2. Every service prints what it would run with, secrets masked: `node dist/apps/router/main.mjs --print-config`.',
    section(
      '`npm start` (one process)',
      'An unset `DATABASE_URL`, `NATS_URL` or `REDIS_URL` means the embedded part.',
      configs.zone,
    ),
    split_config &&
      section(
        '`npm run start:split` (launcher)',
        'It gives every process only the settings that process needs.',
        split_config.Config,
      ),
    section('Every service', 'What each of the services below reads, beside its own.', {
      properties: { ...CommonSettings, ...BusSettings },
      required: [],
    }),
    ORDER.filter((app) => configs[app]).map((app) => section(`\`${app}\``, '', own(configs[app], shared))),
    configs.agent &&
      section('`agent`', 'On the hub. It has no port: it dials out to the broker.', configs.agent),
    agent_file && [
      '### The hub’s file',
      'YAML, named by `AGENT_CONFIG`. It is the agent’s own allowlist: root can only narrow it.',
      fileTable(agent_file.AgentConfig, FILE_WORDS),
    ],
    agent_file?.ServiceConfig && [
      '### A service in it',
      fileTable(agent_file.ServiceConfig, {
        name: 'Name, as in `hub_get_status`.',
        argv: 'Program and arguments; there is no shell.',
        cwd: 'Working folder.',
        env: 'Variables it gets. Nothing else is inherited.',
        env_allow: 'Variables passed on from the agent’s own environment.',
        restart: 'Automatic restarts in a row, and the pause before the first; it doubles.',
        ready: 'An `http` URL or a `tcp` port that tells when it is up.',
        observe_ms: 'Milliseconds it must stay up after a restart.',
        stop_timeout_ms: 'Milliseconds between SIGTERM and SIGKILL.',
      }),
    ],
    configs.cli &&
      section('`adaosctl`', 'Flags come first, then these, then `.zone/connection.json`.', configs.cli),
  );
}

const own = (schema, shared) => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties).filter(([name]) => !shared.includes(name)),
  ),
});

function settingsTable(schema, known) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties).map(([name, field]) => {
    const meaning = field.description ?? known[name];
    if (!meaning) throw new Error(`the setting ${name} is not described`);
    const secret = field['x-class'] === 'secret' ? ' Secret: never printed.' : '';
    return [code(name), `${meaning}${secret}`, allowed(field), defaultOf(field, required.has(name))];
  });
  return rows.length ? table(['Variable', 'Meaning', 'Allowed', 'Default'], rows) : 'Nothing of its own.';
}

function fileTable(schema, words) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties).map(([name, field]) => {
    const meaning = words[name] ?? field.description;
    if (!meaning) throw new Error(`the setting ${name} of the hub’s file is not described`);
    return [code(name), meaning, allowed(field), defaultOf(field, required.has(name))];
  });
  return table(['Key', 'Meaning', 'Allowed', 'Default'], rows);
}

function allowed({ type, enum: values, minimum, maximum, pattern, maxItems }) {
  if (values) return codes(values);
  if (type === 'integer' || type === 'number') return `${minimum ?? '…'} … ${maximum ?? '…'}`;
  if (type === 'boolean') return '`1` or `0`';
  if (type === 'array') return maxItems === undefined ? 'list' : `at most ${maxItems}`;
  return pattern ? code(pattern) : '';
}

function defaultOf({ default: value, properties }, required) {
  if (properties && value !== undefined)
    return Object.entries(properties)
      .map(([name, field]) => `${code(name)} ${code(field.default)}`)
      .join(', ');
  if (value === undefined) return required ? 'required' : 'not set';
  if (value === '') return 'empty';
  if (typeof value === 'boolean') return code(value ? 1 : 0);
  return code(Array.isArray(value) ? JSON.stringify(value) : value);
}
