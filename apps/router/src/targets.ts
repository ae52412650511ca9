import { hubIdOf, OpError, type HubReport, type ManagedTarget, type TargetRecord } from '@adaos/contracts';
import type { Clock } from '@adaos/runtime';
import type { TargetRow, TargetRows } from '@adaos/store';
import { LRUCache } from 'lru-cache';

/** Milliseconds a target may be served from memory when its change event was lost. */
const TARGET_TTL_MS = 1_000;
/** A hub that misses three heartbeats is offline by time (contracts.md, "Managed target"). */
const MISSED_BEATS = 3;

/** A target after root changed it, and root's own word on its skill, before the hub narrows it. */
export interface Changed {
  readonly target: ManagedTarget;
  readonly skill_state: TargetRecord['skill']['state'];
}

export interface TargetDeps {
  readonly zone: string;
  readonly rows: TargetRows;
  readonly clock: Clock;
  readonly heartbeat_ms: number;
}

/** Managed targets as every decision sees them: root's record, narrowed by the hub's report, aged by the clock. */
export function createTargets({ zone, rows, clock, heartbeat_ms }: TargetDeps) {
  const cached = new LRUCache<string, TargetRow>({
    max: 10_000,
    ttl: TARGET_TTL_MS,
    perf: { now: clock.now },
  });

  const view = (row: TargetRow): ManagedTarget => toManagedTarget(row, clock.now(), heartbeat_ms);

  // A row read before a change must not come back into the cache after it.
  const loading = new Map<string, object>();
  const drop = (target_id: string) => {
    loading.delete(target_id);
    cached.delete(target_id);
  };

  async function load(target_id: string): Promise<TargetRow> {
    if (hubIdOf(target_id) === null) throw new OpError('target_not_found');
    const known = cached.get(target_id);
    if (known) return known;
    const token = {};
    loading.set(target_id, token);
    const row = await rows.get(target_id);
    if (!row || row.zone !== zone) throw new OpError('target_not_found');
    if (loading.get(target_id) === token) cached.set(target_id, row);
    loading.delete(target_id);
    return row;
  }

  return {
    /** The target, or OpError(target_not_found) for an id that is unknown, malformed or of another zone. */
    get: async (target_id: string): Promise<ManagedTarget> => view(await load(target_id)),
    /** The target, or null when there is none. */
    find: async (target_id: string): Promise<ManagedTarget | null> =>
      load(target_id).then(view, (error: unknown) => {
        if (error instanceof OpError && error.code === 'target_not_found') return null;
        throw error;
      }),
    /** Root's own word on the skill, before the hub's report narrows it. */
    rootSkill: async (target_id: string): Promise<TargetRecord['skill']> => (await load(target_id)).skill,
    async list(filter: {
      environment?: TargetRecord['environment'];
      status?: string;
      subnet_id?: string;
      limit: number;
      cursor?: string;
    }) {
      const { status, ...stored } = filter;
      const { items, next_cursor } = await rows.list({ ...stored, zone });
      return {
        targets: items.map(view).filter((t) => status === undefined || t.status === status),
        next_cursor,
      };
    },
    /** Stores a heartbeat. Returns false for one that is older than what is known. */
    async report(target_id: string, report: HubReport): Promise<boolean> {
      const before = (await load(target_id)).report;
      const seen_at = clock.iso();
      const accepted = await rows.putReport(target_id, {
        epoch: report.epoch,
        cursor: report.cursor,
        last_seen_at: seen_at,
        connected_at: before?.epoch === report.epoch ? before.connected_at : seen_at,
        rtt_ms: report.rtt_ms,
        reported: report,
      });
      drop(target_id);
      return accepted;
    },
    /**
     * Root's own part of a target; the skill of one that exists stays as it is. Throws OpError(conflict) for a hub of another zone, and for one
     * that is not at `expected_version` (0: is there already).
     */
    async register(
      record: Omit<TargetRecord, 'version' | 'zone'>,
      expected_version?: number,
    ): Promise<Changed> {
      const row = await rows.upsert({ ...record, zone }, expected_version);
      drop(record.target_id);
      if (!row) throw new OpError('conflict', { target_id: record.target_id });
      return { target: view(row), skill_state: row.skill.state };
    },
    async setSkill(target_id: string, state: TargetRecord['skill']['state']): Promise<Changed> {
      const { skill } = await load(target_id);
      const row = await rows.setSkill(target_id, { ...skill, state });
      drop(target_id);
      if (!row) throw new OpError('target_not_found');
      return { target: view(row), skill_state: row.skill.state };
    },
    forget: drop,
  };
}
export type Targets = ReturnType<typeof createTargets>;

/** Joins what root owns with what the hub said. The hub can only narrow: state, capabilities, health (D3). */
export function toManagedTarget(row: TargetRow, now: number, heartbeat_ms: number): ManagedTarget {
  const said = row.report;
  const report = (said?.reported ?? null) as HubReport | null;
  const alive = said !== null && now - Date.parse(said.last_seen_at) < MISSED_BEATS * heartbeat_ms;
  const status =
    report === null ? 'registered' : !alive ? 'offline' : report.health === 'healthy' ? 'online' : 'degraded';
  const root_state = row.skill.state;
  const state =
    root_state === 'enabled' && report && report.skill.state !== 'enabled' ? report.skill.state : root_state;
  const enabled = state === 'enabled';
  const offered = report?.capabilities ?? [];
  return {
    target_id: row.target_id,
    title: row.title,
    kind: row.kind,
    environment: row.environment,
    status,
    zone: row.zone,
    subnet_id: row.subnet_id,
    owner: row.owner,
    transport: {
      channel: 'hub_root_protocol',
      connected_at: said?.connected_at ?? null,
      last_seen_at: said?.last_seen_at ?? null,
      rtt_ms: said?.rtt_ms ?? null,
    },
    operational_surface: {
      published_by: `skill:${row.skill.name}`,
      skill: { ...row.skill, state, ...(report && { version: report.skill.version }) },
      enabled,
      capabilities: enabled ? offered.filter((c) => row.policy.allowed_capabilities.includes(c)) : [],
      execution_adapters: enabled ? (report?.execution_adapters ?? []) : [],
    },
    policy: row.policy,
    health: alive ? (report?.health ?? 'unknown') : 'unknown',
    reported: report as ManagedTarget['reported'],
    version: row.version,
  };
}
