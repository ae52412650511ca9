/**
 * A "must" with the test that proves it: `file` from the repository root, `title` as it stands there. requirements.test.ts lists rows
 * without one. Rows with `on: 'both'` run on the embedded and on the split topology.
 */
export interface Requirement {
  readonly id: string;
  readonly must: string;
  readonly on: 'both' | 'embedded' | 'unit';
  readonly file: string;
  readonly title: string;
}

export const SCENARIOS = 'apps/zone-e2e/src/scenarios';

export const row = (
  id: string,
  must: string,
  on: Requirement['on'],
  file: string,
  title: string,
): Requirement => ({
  id,
  must,
  on,
  file,
  title,
});
