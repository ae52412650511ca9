import { Type, type Static } from 'typebox';
import { Count, Flag, Json, List, Nullable, OneOf, Text, Timestamp } from './field.js';
import { ENVIRONMENTS } from './tool-contract.js';

export const SKILL_STATES = ['enabled', 'disabled', 'installed', 'missing'] as const;
export const TARGET_STATUSES = ['planned', 'registered', 'online', 'degraded', 'offline', 'unknown'] as const;

/** `hub_id` becomes one NATS token: anything else could address another hub or break the connection (field case F27). */
export const HUB_ID = /^[A-Za-z0-9_-]{1,64}$/;
export const targetIdOf = (hub_id: string) => `hub:${hub_id}`;
/** The hub id inside a target id, or null when the id is not one of ours. */
export const hubIdOf = (target_id: string): string | null => {
  const hub_id = target_id.startsWith('hub:') ? target_id.slice(4) : '';
  return HUB_ID.test(hub_id) ? hub_id : null;
};

export const Skill = Type.Object({ name: Text(64), version: Text(32), state: OneOf(SKILL_STATES) });

/** Root-owned policy of a target; a report can only narrow it (D3). An empty allowlist allows nothing. */
export const TargetPolicy = Type.Object(
  {
    write_scope: OneOf(
      ['none', 'test-only', 'any'] as const,
      'none: no writes; test-only: writes if the environment is test; any: where the tool itself allows it',
    ),
    allowed_services: List(Text(64), 1000, 'services that may be restarted, by name'),
    allowed_capabilities: List(Text(64), 1000, 'capabilities the target may be used with'),
    approval: Type.Optional(
      OneOf(['none', 'writes'] as const, 'writes: each change on it waits for an approver; absent: none'),
    ),
  },
  {
    additionalProperties: false,
    description: 'What may be done on the target; an empty list allows nothing.',
  },
);
export type TargetPolicy = Static<typeof TargetPolicy>;

/** What root itself knows of a target, written by operators only. */
export const TargetRecord = Type.Object({
  target_id: Text(70),
  title: Text(120),
  kind: OneOf(['hub'] as const),
  environment: OneOf(ENVIRONMENTS),
  zone: Text(64),
  subnet_id: Text(64),
  owner: Text(128),
  policy: TargetPolicy,
  skill: Skill,
  version: Count(),
});
export type TargetRecord = Static<typeof TargetRecord>;

/** A hub's heartbeat. `epoch` is new at each agent start, `cursor` grows within it; older ones are refused. */
export const HubReport = Type.Object(
  {
    epoch: Text(64),
    cursor: Count(),
    reported_at: Timestamp(),
    agent_version: Text(32),
    skill: Type.Object({ name: Text(64), version: Text(32), state: OneOf(SKILL_STATES) }),
    capabilities: List(Text(64), 200),
    execution_adapters: List(Text(64), 50),
    services: List(Type.Object({ name: Text(64), state: Text(32) }), 200),
    health: OneOf(['healthy', 'degraded', 'unhealthy', 'unknown'] as const),
    rtt_ms: Nullable(Count()),
  },
  { additionalProperties: false },
);
export type HubReport = Static<typeof HubReport>;

/** The managed target as callers see it: root's record, narrowed by the hub's report, with time deciding `offline`. */
export const ManagedTarget = Type.Object({
  target_id: Text(70),
  title: Text(120),
  kind: OneOf(['hub'] as const),
  environment: OneOf(ENVIRONMENTS),
  status: OneOf(TARGET_STATUSES),
  zone: Text(64),
  subnet_id: Text(64),
  owner: Text(128),
  transport: Type.Object({
    channel: Text(32),
    connected_at: Nullable(Timestamp()),
    last_seen_at: Nullable(Timestamp()),
    rtt_ms: Nullable(Count()),
  }),
  operational_surface: Type.Object({
    published_by: Text(80),
    skill: Skill,
    enabled: Flag(),
    capabilities: List(Text(64)),
    execution_adapters: List(Text(64)),
  }),
  policy: TargetPolicy,
  health: OneOf(['healthy', 'degraded', 'unhealthy', 'unknown'] as const),
  reported: Nullable(Json()),
  version: Count(),
});
export type ManagedTarget = Static<typeof ManagedTarget>;
