import { HUB_ID } from '@adaos/contracts';
import { Type, type Static, type TSchema } from 'typebox';

/** Names become file names and log source names: one path segment that is never hidden. */
const Name = () => Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' });
const Path = () => Type.String({ minLength: 1, maxLength: 4_096 });
const Url = () => Type.String({ pattern: '^https?://', maxLength: 2_048 });
const Port = () => Type.Integer({ minimum: 1, maximum: 65_535 });
const Ms = (minimum: number, maximum: number, value: number) =>
  Type.Integer({ minimum, maximum, default: value, description: 'milliseconds' });
const strict = { additionalProperties: false } as const;

/** Entries of one list told apart by `kind`, so that an error names the fault in that kind and not in all of them. */
const byKind = <T extends TSchema[]>(...kinds: T) =>
  Type.Unsafe<Static<T[number]>>({
    type: 'object',
    discriminator: { propertyName: 'kind' },
    required: ['kind'],
    oneOf: kinds,
  });

/** When a started service counts as ready: the URL answers 2xx, or the port accepts a connection. */
export const ReadyCheck = Type.Object(
  {
    http: Type.Optional(Url()),
    tcp: Type.Optional(Type.Object({ host: Type.String({ minLength: 1 }), port: Port() }, strict)),
  },
  { ...strict, minProperties: 1, maxProperties: 1 },
);
export type ReadyCheck = Static<typeof ReadyCheck>;

/** A process the agent keeps running. `argv[0]` is the program; there is no shell. */
export const ServiceConfig = Type.Object(
  {
    name: Name(),
    argv: Type.Array(Type.String({ minLength: 1, maxLength: 8_192 }), { minItems: 1, maxItems: 256 }),
    cwd: Type.String({ default: '.', minLength: 1 }),
    env_allow: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), {
        maxItems: 100,
        description: "names passed through from the agent's own environment; nothing else of it is",
      }),
    ),
    env: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Type.String())),
    restart: Type.Object(
      {
        max_restarts: Type.Integer({ minimum: 0, maximum: 1_000, default: 5 }),
        backoff_ms: Ms(10, 60_000, 500),
      },
      { ...strict, default: {} },
    ),
    ready: Type.Optional(ReadyCheck),
    observe_ms: Ms(0, 15_000, 3_000),
    stop_timeout_ms: Ms(50, 8_000, 5_000),
  },
  strict,
);
export type ServiceConfig = Static<typeof ServiceConfig>;

const CheckTimeout = () => Ms(10, 15_000, 2_000);
const HttpCheck = Type.Object(
  {
    name: Name(),
    kind: Type.Literal('http'),
    url: Url(),
    ca_file: Type.Optional(Type.String({ minLength: 1, description: 'PEM of an own certificate authority' })),
    expect_status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 599, description: 'default: any 2xx' }),
    ),
    timeout_ms: CheckTimeout(),
  },
  strict,
);
export type HttpCheck = Static<typeof HttpCheck>;
const TcpCheck = Type.Object(
  {
    name: Name(),
    kind: Type.Literal('tcp'),
    host: Type.String({ minLength: 1, maxLength: 253 }),
    port: Port(),
    timeout_ms: CheckTimeout(),
  },
  strict,
);
export type TcpCheck = Static<typeof TcpCheck>;
const ServiceCheck = Type.Object(
  { name: Name(), kind: Type.Literal('service'), service: Name(), timeout_ms: CheckTimeout() },
  strict,
);
export type ServiceCheck = Static<typeof ServiceCheck>;
export type HealthCheck = HttpCheck | TcpCheck | ServiceCheck;

/** A file, or what the agent captured of a service's output. */
const LogSource = byKind(
  Type.Object({ name: Name(), kind: Type.Literal('file'), path: Path() }, strict),
  Type.Object({ name: Name(), kind: Type.Literal('service'), service: Name() }, strict),
);
export type LogSource = Static<typeof LogSource>;

/** The hub's own file: what may be run, checked and read there. It is the agent's allowlist; root can only narrow it. */
export const AgentConfig = Type.Object(
  {
    hub_id: Type.String({ pattern: HUB_ID.source }),
    disk_path: Type.Optional(Path()),
    services: Type.Array(ServiceConfig, { maxItems: 200, default: [] }),
    health_checks: Type.Array(byKind(HttpCheck, TcpCheck, ServiceCheck), { maxItems: 50, default: [] }),
    log_sources: Type.Array(LogSource, { maxItems: 200, default: [] }),
    log_roots: Type.Array(Path(), {
      maxItems: 50,
      default: [],
      description: 'directories file sources must really be in',
    }),
    limits: Type.Object(
      {
        max_concurrency: Type.Integer({ minimum: 1, maximum: 64, default: 8 }),
        max_output_bytes: Type.Integer({ minimum: 4_096, maximum: 4_194_304, default: 262_144 }),
        log_file_bytes: Type.Integer({ minimum: 4_096, maximum: 1_073_741_824, default: 4_194_304 }),
      },
      { ...strict, default: {} },
    ),
    heartbeat_ms: Ms(20, 300_000, 15_000),
  },
  strict,
);
export type AgentConfig = Static<typeof AgentConfig>;
