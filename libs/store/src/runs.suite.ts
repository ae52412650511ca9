import { describe, expect, test } from '@jest/globals';
import type { Envelope } from '@adaos/contracts';
import { runRows, type NewRun } from './runs.js';
import type { StoreBench } from './store.suite.js';

const AT = Date.parse('2026-05-01T10:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();
const envelope = (over: Partial<Envelope> = {}): Envelope => ({
  request_id: 'req_1',
  trace_id: 'a'.repeat(32),
  tool_id: 'hub.restart_service',
  surface: 'operations',
  ok: true,
  status: 'succeeded',
  dry_run: false,
  result: { text: 'nul \u0000 and "quotes" stay' },
  redactions: [],
  audit_event_id: 'evt_1',
  meta: {},
  ...over,
});

/** Runs as they begin, go on, end and lapse. */
export function runCases(bench: StoreBench): void {
  const at = (ms: number) => runRows(bench.store.sql, { now: () => new Date(ms) });
  const wanted = (over: Partial<NewRun> = {}): NewRun => ({
    run_id: bench.id('run'),
    zone: 'zone-a',
    lease_id: 'lse_1',
    event_id: bench.id('evt'),
    call_id: bench.id('req'),
    tool_id: 'hub.restart_service',
    target_id: 'hub:one',
    subnet_id: 'subnet-1',
    expires_at: iso(AT + 60_000),
    ...over,
  });

  describe('runs', () => {
    test('a run is there once it was made, for its lease and for nobody else', async () => {
      const run = wanted();
      const made = await at(AT).create(run);
      expect(made).toEqual({
        run_id: run.run_id,
        status: 'working',
        tool_id: run.tool_id,
        target_id: 'hub:one',
        subnet_id: 'subnet-1',
        event_id: run.event_id,
        progress: null,
        created_at: iso(AT),
        updated_at: iso(AT),
        expires_at: iso(AT + 60_000),
      });
      const own = { zone: 'zone-a', lease_id: 'lse_1' };
      expect(await at(AT).get(run.run_id, own)).toMatchObject({
        run: made,
        outcome: null,
        call_id: run.call_id,
      });
      for (const scope of [
        { ...own, lease_id: 'lse_2' },
        { ...own, zone: 'zone-b' },
        { zone: 'zone-a', subnet_id: 'other' },
        { zone: 'zone-a', target_id: 'hub:two' },
      ])
        expect(await at(AT).get(run.run_id, scope)).toBeNull();
      expect(await at(AT).get(`${run.run_id}\u0000`, own)).toBeNull();
    });

    test('the first outcome stands; no step and no other outcome follows it', async () => {
      const run = wanted();
      await at(AT).create(run);
      await at(AT + 1).step(run.run_id, { progress: 1, total: 3, message: 'one' });
      expect(await at(AT + 2).settle(run.run_id, 'completed', envelope())).toBe(true);
      expect(await at(AT + 3).settle(run.run_id, 'cancelled', envelope({ ok: false }))).toBe(false);
      await at(AT + 4).step(run.run_id, { progress: 2 });
      await at(AT + 5).touch([run.run_id]);
      const view = await at(AT + 6).get(run.run_id, { zone: 'zone-a', lease_id: 'lse_1' });
      expect(view).toMatchObject({
        run: {
          status: 'completed',
          progress: { progress: 1, total: 3, message: 'one' },
          updated_at: iso(AT + 2),
        },
        outcome: { ok: true, result: { text: expect.stringContaining('"quotes" stay') } },
      });
    });

    test('a run nobody works on is found; one that is touched is not', async () => {
      const [left, kept] = [wanted({ zone: 'zone-stale' }), wanted({ zone: 'zone-stale' })];
      for (const run of [left, kept]) await at(AT).create(run);
      await at(AT + 50_000).touch([kept.run_id]);
      const stale = await at(AT).stale('zone-stale', iso(AT + 10_000), 10);
      expect(stale.map(({ run }) => run.run_id)).toEqual([left.run_id]);
    });

    test('a lapsed run is gone at once, and its row with the next sweep; what is under way is kept until it has an outcome', async () => {
      const [ended, working] = [wanted(), wanted()];
      for (const run of [ended, working]) await at(AT).create(run);
      await at(AT).settle(ended.run_id, 'completed', envelope());
      const late = at(AT + 60_000);
      const rows = async () =>
        (
          await bench.store.sql`select run_id from runs where run_id in (${ended.run_id}, ${working.run_id})`
        ).map((r) => r['run_id'] as string);
      expect(await late.get(ended.run_id, { zone: 'zone-a' })).toBeNull();
      expect(await rows()).toHaveLength(2);
      expect(await late.sweep()).toBeGreaterThanOrEqual(1);
      expect(await rows()).toEqual([working.run_id]);
    });
  });
}
