import { describe, expect, test } from '@jest/globals';
import type { TargetRecord } from '@adaos/contracts';
import type { StoreBench } from './store.suite.js';
import { targetRows, type TargetReport } from './targets.js';

/** Managed targets and what hubs report of them. */
export function targetCases(bench: StoreBench): void {
  const rows = () => targetRows(bench.store.sql);
  const target = (over: Partial<TargetRecord> = {}): Omit<TargetRecord, 'version'> => ({
    target_id: bench.id('hub:t'),
    zone: 'zone-a',
    subnet_id: 'subnet-1',
    title: 'Test hub',
    kind: 'hub',
    environment: 'test',
    owner: 'team-infra',
    policy: { write_scope: 'test-only', allowed_services: ['adaos-core'], allowed_capabilities: [] },
    skill: { name: 'infra_access_skill', version: '1.2.0', state: 'installed' },
    ...over,
  });
  const report = (over: Partial<TargetReport> = {}): TargetReport => ({
    epoch: 'boot-1',
    cursor: 5,
    last_seen_at: '2026-05-01T12:00:00.000Z',
    connected_at: '2026-05-01T11:00:00.000Z',
    rtt_ms: 12,
    reported: { health: 'healthy', services: [{ name: 'adaos-core', state: 'running' }] },
    ...over,
  });

  describe('targets', () => {
    test('are kept at version 1, replaced as a whole, and guarded by the version', async () => {
      const record = target();
      const made = await rows().upsert(record);
      expect(made).toEqual({
        ...record,
        version: 1,
        created_at: made?.created_at,
        updated_at: made?.updated_at,
        report: null,
      });
      expect(await rows().upsert({ ...record, title: 'Renamed' }, 1)).toMatchObject({
        title: 'Renamed',
        version: 2,
      });
      expect(await rows().upsert({ ...record, title: 'Lost update' }, 1)).toBeNull();
      expect(await rows().upsert(record, 0)).toBeNull();
      expect(await rows().upsert(target(), 4)).toBeNull();
      expect(await rows().get(record.target_id)).toMatchObject({ title: 'Renamed', version: 2 });
      await expect(rows().upsert(target({ environment: 'prod' as never }))).rejects.toMatchObject({
        code: '23514',
      });
    });

    test('another zone can not take a target over', async () => {
      const record = target();
      await rows().upsert(record);
      const known = await rows().get(record.target_id);
      const foreign = { ...record, zone: 'zone-b', title: 'Taken over' };
      for (const expected_version of [undefined, 0, 1])
        expect(await rows().upsert(foreign, expected_version)).toBeNull();
      expect(await rows().get(record.target_id)).toEqual(known);
      expect(await rows().upsert({ ...record, title: 'Renamed' })).toMatchObject({ version: 2 });
    });

    test('registering again leaves the skill as it is', async () => {
      const record = target();
      const { target_id, skill } = record;
      expect(await rows().upsert(record)).toMatchObject({ skill });
      for (const state of ['disabled', 'enabled'] as const) {
        await rows().setSkill(target_id, { ...skill, state });
        expect(
          await rows().upsert({ ...record, skill: { ...skill, version: '0', state: 'missing' } }),
        ).toMatchObject({
          skill: { ...skill, state },
        });
      }
    });

    test('the skill changes state with the version, by one of two rivals', async () => {
      const { target_id, skill } = target();
      await rows().upsert(target({ target_id }));
      const enabled = { ...skill, state: 'enabled' } as const;
      const outcomes = await Promise.all([1, 2].map(() => rows().setSkill(target_id, enabled, 1)));
      expect(outcomes.filter((row) => row !== null)).toEqual([
        expect.objectContaining({ skill: enabled, version: 2 }),
      ]);
      expect(await rows().setSkill(target_id, { ...skill, state: 'missing' })).toMatchObject({
        version: 3,
        skill: { state: 'missing' },
      });
      expect(await rows().setSkill('hub:none', enabled)).toBeNull();
    });

    test('pages by id with filters, each once', async () => {
      const zone = bench.id('zone');
      const ids: string[] = [];
      for (const environment of ['test', 'staging', 'test', 'test', 'production'] as const) {
        ids.push(String((await rows().upsert(target({ zone, environment })))?.target_id));
      }
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await rows().list({ zone, limit: 2, cursor });
        seen.push(...page.items.map((item) => item.target_id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
      expect(seen).toHaveLength(5);
      expect([...seen].sort()).toEqual([...ids].sort());
      expect(
        (await rows().list({ zone, environment: 'staging' })).items.map((item) => item.target_id),
      ).toEqual([ids[1]]);
      expect((await rows().list({ zone, subnet_id: 'subnet-9' })).items).toEqual([]);
    });
  });

  describe('reports', () => {
    test('an older cursor of the same epoch is refused, a repeat refreshes, a new epoch starts again', async () => {
      const { target_id } = target();
      await rows().upsert(target({ target_id }));
      const kept = async () => (await rows().get(target_id))?.report;
      expect(await rows().putReport(target_id, report())).toBe(true);
      expect(await kept()).toEqual(report());
      expect(await rows().putReport(target_id, report({ cursor: 4, rtt_ms: 99 }))).toBe(false);
      expect(await kept()).toEqual(report());
      const repeat = report({ last_seen_at: '2026-05-01T12:00:05.000Z' });
      expect(await rows().putReport(target_id, repeat)).toBe(true);
      expect(await kept()).toEqual(repeat);
      const restarted = report({ epoch: 'boot-2', cursor: 1, rtt_ms: null });
      expect(await rows().putReport(target_id, restarted)).toBe(true);
      expect(await kept()).toEqual(restarted);
    });

    test('an unknown target has no report, and what a hub says can not break the row', async () => {
      expect(await rows().putReport('hub:unknown', report())).toBe(false);
      const { target_id } = target();
      await rows().upsert(target({ target_id }));
      const hostile = { note: 'a\0b', half: '\ud83d', 'key\0': ['\udc00', '\\u0000', '😀', '\x1f'] };
      expect(await rows().putReport(target_id, report({ reported: hostile }))).toBe(true);
      expect((await rows().get(target_id))?.report?.reported).toEqual({
        note: 'a\ufffdb',
        half: '\ufffd',
        'key\ufffd': ['\ufffd', '\\u0000', '😀', '\x1f'],
      });
    });
  });
}
