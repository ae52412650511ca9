import { AUDIT_STREAM, type BusUser } from '@adaos/contracts';
import { HEADER_ROOM } from './headers.js';
import { busPermissions, inboxPrefixOf, userNameOf } from './permissions.js';

export interface NatsConfigUser {
  readonly user: BusUser;
  readonly hub_id?: string;
  /** For `service`, whose users are as many as there are services: one token, part of its name. */
  readonly service_name?: string;
  /** Environment variable of the server that holds the password. The value must start with a letter and hold only A–Z a–z 0–9 _ -. */
  readonly password_var: string;
}

export interface NatsConfig {
  readonly users: readonly NatsConfigUser[];
  readonly jetstream_dir: string;
  /** -1 lets the server choose. */
  readonly port: number;
  /** Address to listen on; default all. */
  readonly host?: string;
  /** Largest body in bytes, as `Bus.max_payload` then has it; the server gets room for headers on top. */
  readonly max_payload: number;
  /** Serves `/healthz` and metrics there; absent: no monitoring port. */
  readonly http_port?: number;
  /** PEM files. Hubs dial in over networks that aren't ours: outside of one host, set it. */
  readonly tls?: { readonly cert_file: string; readonly key_file: string };
}

const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
/** A path goes between quotes: nothing in it may end them. */
const PATH = /^[^"\\\p{Cc}]+$/u;

/** How long after a request its server may still answer; longer than any tool's timeout. */
const ANSWER_WITHIN = '15m';

/**
 * Text of a nats-server configuration in which every user may do what the subject table says and nothing else: its own subjects, its own
 * reply inbox, one answer to each request it got. Works on 2.9. Throws TypeError on a name, path or port that can't stand in the file.
 */
export function natsServerConfig(config: NatsConfig): string {
  const names = config.users.map(nameOf);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new TypeError(`the user ${twice} is named twice`);
  const lines = [
    '# Made by natsServerConfig() of libs/bus from the subject table; edit that, not this.',
    `port: ${whole(config.port, -1)}`,
    ...(config.host === undefined ? [] : [`host: ${quoted(config.host)}`]),
    ...(config.http_port === undefined ? [] : [`http_port: ${whole(config.http_port, 1)}`]),
    `max_payload: ${whole(config.max_payload, 1024) + HEADER_ROOM}`,
    ...(config.tls
      ? [`tls { cert_file: ${quoted(config.tls.cert_file)}, key_file: ${quoted(config.tls.key_file)} }`]
      : []),
    `jetstream { store_dir: ${quoted(config.jetstream_dir)} }`,
    'authorization {',
    '  users: [',
    ...config.users.flatMap(userLines),
    '  ]',
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

const idOf = ({ user, hub_id, service_name }: NatsConfigUser) => (user === 'service' ? service_name : hub_id);

const nameOf = (entry: NatsConfigUser) => userNameOf(entry.user, idOf(entry));

function userLines(entry: NatsConfigUser): string[] {
  if (!VARIABLE.test(entry.password_var))
    throw new TypeError(`${nameOf(entry)} needs a variable for its password`);
  const permissions = busPermissions(entry.user, entry.hub_id);
  const publish = [...permissions.publish, ...(permissions.consume.length > 0 ? STREAM_API : [])];
  const subscribe = [...permissions.subscribe, `${inboxPrefixOf(entry.user, idOf(entry))}.>`];
  return [
    `    { user: ${quoted(nameOf(entry))}, password: $${entry.password_var}, permissions: {`,
    `      publish: ${only(publish)}`,
    `      subscribe: ${only(subscribe)}`,
    // Without it a server could answer nobody, since it may not write to others' inboxes.
    ...(permissions.answers ? [`      allow_responses: { max: 1, expires: "${ANSWER_WITHIN}" }`] : []),
    '    } }',
  ];
}

/** What `consume` asks of JetStream; appenders need none of it, the ack comes to their inbox. Reading or deleting stored messages isn't in it. */
const STREAM_API = [
  `$JS.API.STREAM.CREATE.${AUDIT_STREAM}`,
  `$JS.API.STREAM.UPDATE.${AUDIT_STREAM}`,
  `$JS.API.STREAM.INFO.${AUDIT_STREAM}`,
  `$JS.API.CONSUMER.CREATE.${AUDIT_STREAM}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${AUDIT_STREAM}.*`,
  `$JS.ACK.${AUDIT_STREAM}.>`,
];

function whole(value: number, least: number): number {
  if (!Number.isInteger(value) || value < least)
    throw new TypeError(`${value} is not a whole number from ${least}`);
  return value;
}

function quoted(text: string): string {
  if (!PATH.test(text))
    throw new TypeError('a name or path may not hold quotes, backslashes or control characters');
  return `"${text}"`;
}

/** The server takes an empty allow list for "everything", so nothing has to be said as a denial; answers to requests stay allowed. */
const only = (subjects: readonly string[]) =>
  subjects.length > 0 ? `{ allow: [${subjects.map(quoted).join(', ')}] }` : '{ deny: [">"] }';
