import { describe, expect, test } from '@jest/globals';
import type { HubReport } from '@adaos/contracts';
import type { TargetRow } from '@adaos/store';
import { toManagedTarget } from './targets.js';

const NOW = Date.parse('2026-01-01T00:10:00.000Z');
const at = (ms_ago: number) => new Date(NOW - ms_ago).toISOString();

const report = (over: Partial<HubReport> = {}): HubReport => ({
  epoch: 'e1',
  cursor: 1,
  reported_at: at(0),
  agent_version: '0.1.0',
  skill: { name: 'infra_access_skill', version: '2', state: 'enabled' },
  capabilities: ['hub.get_status', 'hub.get_logs', 'hub.format_disk'],
  execution_adapters: ['status'],
  services: [],
  health: 'healthy',
  rtt_ms: 3,
  ...over,
});

const row = (said: HubReport | null, seen_ms_ago = 0, over: Partial<TargetRow> = {}): TargetRow => ({
  target_id: 'hub:demo',
  title: 'Demo',
  kind: 'hub',
  environment: 'test',
  zone: 'local',
  subnet_id: 's',
  owner: 'o',
  policy: {
    write_scope: 'test-only',
    allowed_services: ['web'],
    allowed_capabilities: ['hub.get_status', 'hub.get_logs', 'hub.restart_service'],
  },
  skill: { name: 'infra_access_skill', version: '0', state: 'enabled' },
  version: 4,
  created_at: at(0),
  updated_at: at(0),
  report: said && {
    epoch: said.epoch,
    cursor: said.cursor,
    last_seen_at: at(seen_ms_ago),
    connected_at: at(60_000),
    rtt_ms: 3,
    reported: said as never,
  },
  ...over,
});

const view = (target: TargetRow) => toManagedTarget(target, NOW, 15_000);

describe('managed target', () => {
  test('publishes what the hub offers and root allows, nothing else', () => {
    expect(view(row(report())).operational_surface.capabilities).toEqual(['hub.get_status', 'hub.get_logs']);
  });

  test.each([
    [0, 'online'],
    [44_999, 'online'],
    [45_000, 'offline'],
    [86_400_000, 'offline'],
  ])('seen %d ms ago it is %s', (ago, status) => {
    expect(view(row(report(), ago)).status).toBe(status);
  });

  test('before the first report it is registered, with unknown health and nothing published', () => {
    const target = view(row(null));
    expect([target.status, target.health, target.operational_surface.capabilities, target.reported]).toEqual([
      'registered',
      'unknown',
      [],
      null,
    ]);
  });

  test('a report can disable the skill but not enable it', () => {
    const disabled = view(
      row(report({ skill: { name: 'infra_access_skill', version: '2', state: 'disabled' } })),
    );
    expect([disabled.operational_surface.enabled, disabled.operational_surface.skill.state]).toEqual([
      false,
      'disabled',
    ]);
    const forged = view(
      row(report(), 0, { skill: { name: 'infra_access_skill', version: '0', state: 'missing' } }),
    );
    expect([
      forged.operational_surface.enabled,
      forged.operational_surface.skill.state,
      forged.operational_surface.capabilities,
    ]).toEqual([false, 'missing', []]);
  });

  test('a report reaches neither environment, policy, zone nor subnet', () => {
    const forged = {
      ...report(),
      environment: 'test',
      policy: { write_scope: 'any' },
      zone: 'x',
      subnet_id: 'x',
    } as HubReport;
    const target = view(row(forged, 0, { environment: 'production' }));
    expect([target.environment, target.policy.write_scope, target.zone, target.subnet_id]).toEqual([
      'production',
      'test-only',
      'local',
      's',
    ]);
  });

  test('an unwell hub is degraded', () => {
    expect(view(row(report({ health: 'unhealthy' }))).status).toBe('degraded');
  });
});
