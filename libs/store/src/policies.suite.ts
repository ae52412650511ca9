import { describe, expect, test } from '@jest/globals';
import { sha256 } from '@adaos/contracts';
import { policyRows } from './policies.js';
import type { StoreBench } from './store.suite.js';

/** Versions of a zone's policies. */
export function policyCases(bench: StoreBench): void {
  describe('policy versions', () => {
    const version = (text: string, restores: string | null = null) => ({
      version_id: bench.id('pol'),
      author: 'operator:Ann',
      note: 'why',
      text,
      restores,
    });

    test('the newest is in force; going back adds one that names what it restores', async () => {
      const rows = policyRows(bench.store.sql, bench.id('zone'));
      expect([await rows.newestSeq(), await rows.newest()]).toEqual([0, null]);
      const first = await rows.append(version('one'));
      const second = await rows.append(version('two'));
      expect([first.seq, second.seq, await rows.newestSeq()]).toEqual([1, 2, 2]);
      expect(await rows.newest()).toEqual(second);
      expect(second).toMatchObject({ digest: sha256('two'), text: 'two', restores: null });
      const back = await rows.append(version('one', first.version_id));
      expect(await rows.newest()).toEqual(back);
      expect((await rows.list(2)).map(({ seq, restores }) => [seq, restores])).toEqual([
        [3, first.version_id],
        [2, null],
      ]);
    });

    test('of writers who race from one version, one gets through', async () => {
      const rows = policyRows(bench.store.sql, bench.id('zone'));
      const first = await rows.append(version('one'), '');
      const racing = await Promise.allSettled(
        [1, 2, 3, 4, 5].map((n) => rows.append(version(`text ${n}`), first.version_id)),
      );
      expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const refused = racing.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      expect(refused.reason).toMatchObject({ code: 'conflict' });
      // Those who name no version queue: none is lost, none has the same number.
      await Promise.all([1, 2, 3].map((n) => rows.append(version(`more ${n}`))));
      expect((await rows.list(10)).map(({ seq }) => seq)).toEqual([5, 4, 3, 2, 1]);
    });

    test('a zone neither sees nor counts the versions of another', async () => {
      const [ours, theirs] = [bench.id('zone'), bench.id('zone')].map((zone) =>
        policyRows(bench.store.sql, zone),
      ) as [ReturnType<typeof policyRows>, ReturnType<typeof policyRows>];
      const { version_id } = await theirs.append(version('theirs'));
      expect([await ours.newest(), await ours.get(version_id), await ours.list(10)]).toEqual([
        null,
        null,
        [],
      ]);
      expect((await ours.append(version('ours'))).seq).toBe(1);
    });

    test('a version can not be changed or taken away', async () => {
      const { sql } = bench.store;
      const { version_id } = await policyRows(sql, bench.id('zone')).append(version('one'));
      await expect(
        sql`update policy_versions set text = 'x' where version_id = ${version_id}`,
      ).rejects.toThrow('append-only');
      await expect(sql`delete from policy_versions where version_id = ${version_id}`).rejects.toThrow(
        'append-only',
      );
      await expect(sql`truncate policy_versions`).rejects.toThrow('append-only');
    });
  });
}
