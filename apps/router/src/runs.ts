import {
  findTool,
  RUN_KEPT_MS,
  type Envelope,
  type OperationalEvent,
  type ProgressStep,
  type Run,
  type RunStatus,
  type ToolContract,
} from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Clock, Ids, Log } from '@adaos/runtime';
import type { RunRows, StoredRun } from '@adaos/store';
import { envelopeOf, type EventDraft } from './draft.js';
import { askJournal, GIVE_UP_MS, hubOf } from './recovery.js';

/** Milliseconds between two signs of life of the runs that go on here; well under the age at which a run counts as left. */
const ALIVE_MS = 2_000;
const SWEEP_LIMIT = 50;

/** A call that may go on as a run: what the pipeline tells of it, in this order. */
export interface AsRun {
  /** It is about to be recorded as begun. Throws when no run can be kept: then it is not begun either. */
  create(event: EventDraft['event'], tool: ToolContract): Promise<void>;
  /** It is recorded as begun: from here on it goes on, whoever waits. */
  begun(): void;
  readonly step: (step: ProgressStep) => void;
}

export interface RunsDeps {
  readonly zone: string;
  readonly rows: RunRows;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly findEvent: (event_id: string) => Promise<OperationalEvent | null>;
}
export type Runs = ReturnType<typeof createRuns>;

/** Calls that outlive their request, kept in the database so that they outlive facade and router too. */
export function createRuns(
  deps: RunsDeps,
  { sweep_ms, orphan_age_ms }: { sweep_ms: number; orphan_age_ms: number },
) {
  const { zone, rows, clock, ids, log } = deps;
  const active = new Map<string, Promise<unknown>>();
  const quietly = (what: string, work: Promise<unknown>): void =>
    void work.catch((error: unknown) => log.warn({ err: error }, what));

  async function settle(run_id: string, envelope: Envelope): Promise<void> {
    await rows.settle(run_id, statusOf(envelope), envelope);
  }

  /** A run whose router is gone gets its outcome from the record, and its result from the hub's journal. */
  async function recover({ run }: StoredRun): Promise<void> {
    const event = await deps.findEvent(run.event_id);
    const age_ms = clock.now() - Date.parse(run.created_at);
    if (!event || event.phase === 'opened') {
      // Recovery closes the event first; one that was never stored never ran.
      if (age_ms > 2 * GIVE_UP_MS) await settle(run.run_id, lost(run, 'not_run'));
      return;
    }
    const hub_id = hubOf(event);
    const answer = hub_id === null ? null : await askJournal(deps, hub_id, event);
    if (event.status === 'succeeded' && !answer?.reply?.result) {
      if (hub_id === null || answer || age_ms > GIVE_UP_MS)
        await settle(run.run_id, lost(run, 'succeeded', event));
      return;
    }
    await settle(run.run_id, envelopeOf(event, answer?.reply));
  }

  let sweeping = false;
  async function sweep(): Promise<void> {
    await rows.sweep();
    const since = new Date(clock.now() - orphan_age_ms).toISOString();
    for (const stored of await rows.stale(zone, since, SWEEP_LIMIT))
      if (!active.has(stored.run.run_id)) await recover(stored);
  }
  const stops = [
    clock.every(Math.min(ALIVE_MS, orphan_age_ms / 2), () => {
      if (active.size > 0) quietly('runs could not be kept alive', rows.touch([...active.keys()]));
    }),
    clock.every(sweep_ms, () => {
      if (sweeping) return;
      sweeping = true;
      quietly(
        'runs could not be looked through',
        sweep().finally(() => (sweeping = false)),
      );
    }),
  ];

  return {
    rows,
    /**
     * Starts `work`, a call that is told of its run by these hooks, and answers whichever comes first: that it goes on, or its end.
     * `toCaller` hears the steps of a call that did not become a run.
     */
    async start(
      call_id: string,
      toCaller: ((step: ProgressStep) => void) | null,
      work: (as_run: AsRun) => Promise<Envelope>,
    ): Promise<{ run: Run } | { envelope: Envelope }> {
      let run: Run | null = null;
      let begun: (run: Run) => void = () => undefined;
      const handed = new Promise<Run>((resolve) => (begun = resolve));
      const as_run: AsRun = {
        async create(event, tool) {
          const { event_id, target_id, subnet_id, lease_id } = event;
          const expires_at = new Date(clock.now() + tool.timeout_ms + RUN_KEPT_MS).toISOString();
          const { tool_id } = tool;
          const made = {
            run_id: ids.next('run'),
            zone,
            event_id,
            call_id,
            tool_id,
            target_id,
            subnet_id,
            expires_at,
          };
          run = await rows.create({ ...made, lease_id: lease_id ?? '' });
        },
        begun: () => run && begun(run),
        step: (step) => {
          if (run) quietly('a step of a run was not kept', rows.step(run.run_id, step));
          else toCaller?.(step);
        },
      };
      const done = work(as_run).then(async (envelope) => {
        // What can't be written now is found again by a sweep, as if this router had died.
        if (run)
          await settle(run.run_id, envelope).catch((error: unknown) =>
            log.warn({ err: error }, 'a run was not settled'),
          );
        return envelope;
      });
      const first = await Promise.race([
        handed.then((run) => ({ run })),
        done.then((envelope) => ({ envelope })),
      ]);
      if ('run' in first) {
        const { run_id } = first.run;
        active.set(run_id, done);
        void done.finally(() => active.delete(run_id));
      }
      return first;
    },
    /** Waits for what goes on here, at most `timeout_ms`; the rest is found by another router. */
    async drain(timeout_ms: number): Promise<void> {
      for (const stop of stops) stop();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => (timer = setTimeout(resolve, timeout_ms)));
      await Promise.race([Promise.allSettled(active.values()), late]);
      clearTimeout(timer);
    },
  };
}

/** How a call ended, as its run shows it: failed is for what broke the protocol's promise, not for a tool that said no. */
function statusOf({ status, error }: Envelope): Exclude<RunStatus, 'working'> {
  if (status === 'cancelled') return 'cancelled';
  return error?.code === 'internal' ? 'failed' : 'completed';
}

/** What is told of a run whose result nobody has. */
function lost(run: Run, outcome: 'not_run' | 'succeeded', event?: OperationalEvent): Envelope {
  const message =
    outcome === 'succeeded'
      ? 'It succeeded; its result was lost with the router that ran it.'
      : 'The call was never begun.';
  return {
    request_id: event?.request_id ?? '',
    trace_id: event?.trace_id ?? '',
    tool_id: run.tool_id,
    surface: findTool(run.tool_id)?.contract.surface ?? null,
    ok: false,
    status: 'failed',
    dry_run: false,
    error: { code: 'adapter_failed', message, details: { outcome } },
    redactions: [],
    audit_event_id: run.event_id,
    meta: { target_id: run.target_id },
  };
}
