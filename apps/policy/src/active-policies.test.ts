import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { OpError, sha256 } from '@adaos/contracts';
import { readGuards, sampleFacts } from '@adaos/policy-engine';
import { silentLog } from '@adaos/runtime';
import { policyRows, type PolicyRows, type Store } from '@adaos/store';
import { testClock, testStore, until } from '@adaos/testing';
import { createActivePolicies } from './active-policies.js';

const guards = readGuards(new URL('../../../deploy/policies', import.meta.url).pathname);
const forbid = (tool_id: string) =>
  `@id("zone.x") @code("forbidden") @rank("100") @explain("x") forbid (principal, action, resource == Adaos::Tool::"${tool_id}");`;
const [NO_STATUS, NO_LOGS] = [forbid('hub.get_status'), forbid('hub.get_logs')];

/** What stays in force while a part is away or broken. */
describe('policies in force', () => {
  let store: Store;
  let close: () => Promise<void>;
  let rows: PolicyRows;
  let dir: string;
  let zone: string;
  let away = false;
  let zones = 0;
  beforeAll(async () => ({ store, close } = await testStore()), 60_000);
  afterAll(() => close(), 30_000);
  beforeEach(() => {
    away = false;
    zone = `zone-${++zones}`;
    rows = policyRows(store.sql, zone);
    dir = mkdtempSync(join(tmpdir(), 'in-force-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const replica = (more: { zone_policy_dir?: string } = {}) => {
    const clock = testClock();
    const announced: [string, number][] = [];
    const active = createActivePolicies({
      zone,
      clock,
      log: silentLog,
      rows,
      // The one door to the database: shut, it is away, as main.ts meets it.
      prepare: async () => {
        if (away) throw new OpError('dependency_unavailable', { dependency: 'database' });
      },
      guards,
      zone_policy_dir: more.zone_policy_dir ?? null,
      last_good_file: join(dir, 'last-good.json'),
      announce: (...told) => announced.push(told),
    });
    const may = (tool_id: string) => active.decide(sampleFacts(tool_id));
    return { active, clock, announced, may, looks: () => active.sync() };
  };
  const version = (text: string) =>
    rows.append({
      version_id: `pol_${zone}_${sha256(text).slice(0, 8)}`,
      author: 'a',
      note: '',
      text,
      restores: null,
    });

  test('without a database and without a memory of it, everything is denied', async () => {
    away = true;
    const { looks, may, active } = replica();
    await looks();
    expect(may('hub.get_status')).toMatchObject({
      decision: 'deny',
      code: 'dependency_unavailable',
      determining_rules: ['engine.no_policies'],
    });
    expect(active.revision()).toBe('none');
    away = false;
    await looks();
    expect(may('hub.get_status').decision).toBe('allow');
  });

  test('a start while the database is away goes by what was in force before', async () => {
    await version(NO_STATUS);
    const first = replica();
    await first.looks();
    expect(first.may('hub.get_status').decision).toBe('deny');
    away = true;
    const again = replica();
    await again.looks();
    expect(again.may('hub.get_status').determining_rules).toEqual(['zone.x']);
    expect(again.active.revision()).toBe(first.active.revision());
    expect(again.active.problem()).toMatch(/part of the zone is away/);
    // The database is back with a newer version: that counts.
    await version(NO_LOGS);
    away = false;
    await again.looks();
    expect([again.may('hub.get_status').decision, again.may('hub.get_logs').decision]).toEqual([
      'allow',
      'deny',
    ]);
    expect(again.active.problem()).toBeNull();
  });

  test('what is kept on disk is judged before it counts', async () => {
    await version(NO_STATUS);
    await replica().looks();
    const file = join(dir, 'last-good.json');
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { version: { text: string }; zone: string };
    away = true;
    for (const spoilt of [
      { ...kept, version: { ...kept.version, text: '' } },
      { ...kept, zone: 'another' },
      { files: [] },
    ]) {
      writeFileSync(file, JSON.stringify(spoilt));
      const { looks, may } = replica();
      await looks();
      expect(may('hub.get_logs').determining_rules).toEqual(['engine.no_policies']);
    }
  });

  test('a version that does not load never counts, at start or later', async () => {
    await version(NO_STATUS);
    const running = replica();
    await running.looks();
    // Past the tool that judges versions: another build, or somebody with the database's password.
    await version(`@id("zone.all") permit (principal, action, resource);`);
    await running.looks();
    expect(running.may('hub.get_status').decision).toBe('deny');
    expect(running.active.problem()).toMatch(/gives nobody more/);
    const fresh = replica();
    await fresh.looks();
    expect(fresh.may('hub.get_status').determining_rules).toEqual(['zone.x']);
    await version(NO_LOGS);
    await Promise.all([running.looks(), fresh.looks()]);
    for (const { may, active } of [running, fresh])
      expect([may('hub.get_status').decision, may('hub.get_logs').decision, active.problem()]).toEqual([
        'allow',
        'deny',
        null,
      ]);
  });

  test('a lost event is made up for by the next look', async () => {
    const { active, clock, may, announced, looks } = replica();
    await looks();
    await version(NO_STATUS);
    expect(may('hub.get_status').decision).toBe('allow');
    clock.advance(500);
    await until('the look', () => (may('hub.get_status').decision === 'deny' ? true : undefined));
    expect(announced).toEqual([
      [expect.any(String), 0],
      [active.revision(), 1],
    ]);
    active.stop();
  });

  test('a replica that knows of a newer version and can not read it stops deciding after two seconds', async () => {
    const { active, clock, may, looks } = replica();
    await looks();
    away = true;
    active.heard(1);
    await looks();
    clock.advance(1_900);
    expect(may('hub.get_status').decision).toBe('allow');
    clock.advance(200);
    expect(may('hub.get_status')).toMatchObject({
      code: 'dependency_unavailable',
      determining_rules: ['engine.behind'],
    });
    await version(NO_LOGS);
    away = false;
    await looks();
    expect([may('hub.get_status').decision, may('hub.get_logs').decision]).toEqual(['allow', 'deny']);
  });

  test('a version put in force here is not undone by a look that read before it', async () => {
    const { active, may, looks } = replica();
    await looks();
    let has_read: () => void = () => undefined;
    const reading = new Promise<void>((done) => (has_read = done));
    let go_on: () => void = () => undefined;
    const held = new Promise<void>((done) => (go_on = done));
    const real = rows.newestSeq;
    rows.newestSeq = async () => {
      const seq = await real();
      has_read();
      await held;
      return seq;
    };
    const slow = looks();
    await reading;
    active.adopt(await version(NO_STATUS), active.compileText(NO_STATUS, 'pol_new'));
    go_on();
    await slow;
    expect(may('hub.get_status').decision).toBe('deny');
  });

  test('files whose folder is gone stay in force', async () => {
    const folder = mkdtempSync(join(dir, 'files-'));
    writeFileSync(join(folder, 'a.cedar'), NO_STATUS);
    const { may, looks, active } = replica({ zone_policy_dir: folder });
    await looks();
    rmSync(folder, { recursive: true });
    await looks();
    expect(may('hub.get_status').decision).toBe('deny');
    expect(active.problem()).toMatch(/no policy directory/);
  });
});
