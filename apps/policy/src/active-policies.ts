import { NO_OBLIGATIONS, type PolicyFacts } from '@adaos/contracts';
import {
  compilePolicySet,
  createDecider,
  PolicyLoadError,
  readPolicyFiles,
  type Decide,
  type PolicyFile,
  type PolicySet,
  type PolicySources,
  type Verdict,
} from '@adaos/policy-engine';
import type { Clock, Log } from '@adaos/runtime';
import type { PolicyRows, PolicyVersionRow } from '@adaos/store';
import { createLastGood, type LastGood } from './last-good.js';

/** Milliseconds between looks at the newest version: with router's own looks, a lost event leaves an old policy no longer than 2 s. */
const SYNC_MS = 500;
/** Milliseconds a look may take before it counts as the database being away. */
const LOOK_MS = 1_000;
/** Milliseconds a replica goes on by the version it has after it heard of a newer one. */
const BEHIND_MS = 2_000;
const MEMO_SIZE = 20_000;

export interface ActivePoliciesDeps {
  readonly zone: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly rows: PolicyRows;
  /** Brings the schema up to date; called until it resolves. */
  readonly prepare: () => Promise<void>;
  readonly guards: Pick<PolicySources, 'schema' | 'guards'>;
  readonly zone_policy_dir: string | null;
  readonly last_good_file: string | null;
  /** Tells routers and the other replicas what is in force here now. */
  readonly announce: (revision: string, version: number) => void;
}

/** What is in force on this replica. */
export interface InForce extends LastGood {
  readonly set: PolicySet;
  readonly decide: Decide;
}

export type ActivePolicies = ReturnType<typeof createActivePolicies>;

/**
 * The policies in force: guards, the zone's files and the newest version of the database, kept current. Whatever is away or broken, the last
 * good ones stay; a replica that knows of a newer version and can't get it stops deciding.
 */
export function createActivePolicies(deps: ActivePoliciesDeps) {
  const { clock, log, rows, guards } = deps;
  const last_good = createLastGood(deps.last_good_file, deps.zone);
  let in_force: InForce | null = null;
  let problem: string | null = null;
  /** Newest version read, good or bad. */
  let seen = -1;
  let rejected: LastGood | null = null;
  let behind: { version: number; since: number } | null = null;
  let running: Promise<void> | null = null;

  const sourcesOf = (
    version: { text: string; name: string } | null,
    files: readonly PolicyFile[],
  ): PolicySources => ({
    ...guards,
    zone: [...files, ...(version?.text ? [version] : [])],
  });
  const compile = ({ version, files }: LastGood): PolicySet =>
    compilePolicySet(sourcesOf(version && { name: version.version_id, text: version.text }, files));

  function tell(found: string | null): void {
    if (found !== null && found !== problem) log.error({ problem: found }, 'policies stay as they are');
    problem = found;
  }

  function activate(next: LastGood, set: PolicySet): void {
    const before = in_force;
    in_force = { ...next, set, decide: createDecider(set, { memo_size: MEMO_SIZE }) };
    seen = Math.max(seen, next.version?.seq ?? 0);
    if (behind && behind.version <= seen) behind = null;
    before?.set.release();
    log.info(
      { revision: set.revision, rules: set.rules.size, version: next.version?.seq ?? 0 },
      'policies in force',
    );
    try {
      last_good.write(next);
    } catch (error) {
      log.error(
        { code: (error as { code?: string }).code },
        'the policies in force could not be kept on disk',
      );
    }
    deps.announce(set.revision, next.version?.seq ?? 0);
  }

  function readFiles(): readonly PolicyFile[] {
    return deps.zone_policy_dir === null ? [] : readPolicyFiles(deps.zone_policy_dir);
  }

  async function readVersion(): Promise<PolicyVersionRow | null> {
    const known = in_force ?? rejected;
    const newest = await within(LOOK_MS, () => deps.prepare().then(() => rows.newestSeq()));
    if (known && newest === seen) return (rejected ?? known).version;
    const row = newest === 0 ? null : await within(LOOK_MS, () => rows.newest());
    seen = row?.seq ?? 0;
    return row;
  }

  async function look(): Promise<void> {
    const began_with = in_force;
    // Each part that is away stays as it was; the other may still move.
    const files = attempt(readFiles);
    const version = await readVersion().then(
      (value) => ({ value, error: null }),
      (error: unknown) => ({ value: null, error }),
    );
    // A version was put in force here meanwhile: what was read is older than it.
    if (in_force !== began_with) return;
    if (behind && version.error === null && behind.version <= seen) behind = null;
    const from = in_force ?? (files.error || version.error ? last_good.read() : null);
    const away = files.error ?? version.error;
    if (away && !from) return tell(`nothing is in force: ${reasonOf(away)}`);
    const next: LastGood = {
      files: files.error ? from!.files : files.value!,
      version: version.error ? from!.version : version.value,
    };
    const settled = away ? reasonOf(away) : null;
    if (in_force && same(next, in_force)) {
      rejected = null;
      return tell(settled);
    }
    if (rejected && same(next, rejected)) return;
    try {
      activate(next, compile(next));
      rejected = null;
      tell(settled);
    } catch (error) {
      rejected = next;
      tell(reasonOf(error));
      if (!in_force) fallBack();
    }
  }

  /** A start that finds a broken version goes by what was in force before it. */
  function fallBack(): void {
    const kept = last_good.read();
    if (kept) activate(kept, compile(kept));
  }

  const sync = (): Promise<void> =>
    (running ??= look()
      .catch((error: unknown) => tell(reasonOf(error)))
      .finally(() => (running = null)));
  const stop = clock.every(SYNC_MS, () => void sync());

  return {
    sync,
    stop,
    current: () => in_force,
    problem: () => problem,
    revision: () => in_force?.set.revision ?? 'none',

    decide(facts: PolicyFacts): Verdict {
      if (!in_force) return unable('engine.no_policies', problem ?? 'no policies are in force');
      if (behind && clock.now() - behind.since >= BEHIND_MS)
        return unable(
          'engine.behind',
          `version ${behind.version} is in force elsewhere and can not be read here`,
        );
      return in_force.decide(facts);
    },

    /** Another replica has a version in force. */
    heard(version: number): void {
      if (version <= seen) return;
      if (!behind || version > behind.version) behind = { version, since: behind?.since ?? clock.now() };
      // A look that is under way may have read before that version was written.
      void (running ?? Promise.resolve()).then(sync);
    },

    /** Shipped with this build. */
    guards: guards.guards,

    /** The set with this text in the place of the zone's version. Throws PolicyLoadError. The caller releases it. */
    compileText: (text: string, name: string): PolicySet =>
      compilePolicySet(sourcesOf({ name, text }, in_force?.files ?? readFiles())),

    /** Puts a version that was just written in force here, before its writer is answered. `set` is its own from here on. */
    adopt(version: PolicyVersionRow, set: PolicySet): void {
      if (version.seq <= (in_force?.version?.seq ?? 0)) return set.release();
      activate({ version, files: in_force?.files ?? readFiles() }, set);
      rejected = null;
      tell(null);
    },
  };
}

const same = (a: LastGood, b: LastGood) =>
  a.version?.version_id === b.version?.version_id && JSON.stringify(a.files) === JSON.stringify(b.files);

function attempt<T>(work: () => T): { value: T | null; error: unknown } {
  try {
    return { value: work(), error: null };
  } catch (error) {
    return { value: null, error };
  }
}

/** Ends a wait for the database in time; the driver's own limits are longer. */
async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer')), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

const reasonOf = (error: unknown): string =>
  (error instanceof PolicyLoadError
    ? error.message
    : error instanceof Error
      ? error.message
      : 'unknown'
  ).slice(0, 1_000);

const unable = (rule_id: string, operator_explanation: string): Verdict => ({
  decision: 'deny',
  code: 'dependency_unavailable',
  explanation: 'The policies of the zone are away; retry shortly.',
  operator_explanation,
  determining_rules: [rule_id],
  obligations: NO_OBLIGATIONS,
});
