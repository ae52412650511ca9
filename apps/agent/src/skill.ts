import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { matcher, OneOf, OpError, SKILL_STATES, type HubReport } from '@adaos/contracts';
import type { Log } from '@adaos/runtime';
import { replaceFile } from './durable-file.js';
import { SKILL } from './version.js';

export type SkillState = HubReport['skill']['state'];
const isState = matcher(OneOf(SKILL_STATES));

/**
 * The local state of infra_access_skill. Root alone changes it; the last word of root is kept in the data directory, so that a hub that
 * restarts while root is away stays disabled if it was. Until root has spoken the skill is `missing` and publishes nothing.
 */
export async function openSkill(data_dir: string, log: Log) {
  const file = join(data_dir, 'skill.json');
  let state = await readState(file);
  let revision = 0;
  const listeners = new Set<() => void>();
  let kept: Promise<void> = Promise.resolve();
  // One after the other: two writes at once would share the fresh file, and the older state could be the one that stays.
  const keep = (text: string): Promise<void> =>
    (kept = kept
      .then(() => replaceFile(file, text))
      .catch((error: unknown) => log.error({ err: error }, 'skill state could not be kept')));

  return {
    view: (): HubReport['skill'] => ({ ...SKILL, state }),
    /** Grows with each word of root, also one that changes nothing. */
    revision: () => revision,
    /** Adopts root's word; true when it changed something. A disk that can't keep it doesn't make the hub ignore it. */
    async adopt(next: unknown): Promise<boolean> {
      if (!isState(next)) throw new OpError('invalid_argument', { path: '/state' });
      revision += 1;
      if (next === state) return false;
      state = next as SkillState;
      log.info({ state }, 'skill state changed');
      for (const listener of listeners) listener();
      await keep(JSON.stringify({ state }));
      return true;
    },
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
export type Skill = Awaited<ReturnType<typeof openSkill>>;

async function readState(file: string): Promise<SkillState> {
  try {
    const { state } = JSON.parse(await readFile(file, 'utf8')) as { state?: unknown };
    return isState(state) ? (state as SkillState) : 'missing';
  } catch {
    return 'missing';
  }
}
