import { spawn, type ChildProcess } from 'node:child_process';
import { OpError } from '@adaos/contracts';
import type { Clock, Log } from '@adaos/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadyCheck, ServiceConfig } from '../agent-config.js';
import { capture, type OutputFile } from './output-file.js';
import { ownerOf, removePidFile, writePidFile } from './pid-file.js';
import { OWNER_VARIABLE } from './process-identity.js';
import { endGroup } from './process-group.js';
import { backoffMs, stableMs, startFaultOf, type ServiceView, type StartFault } from './service-state.js';
import { untilReady } from './until-ready.js';

export interface ServiceDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly run_dir: string;
  readonly output: OutputFile;
  readonly isReady: (check: ReadyCheck, signal: AbortSignal) => Promise<boolean>;
  /** Called after every change of what `view` shows. */
  readonly changed: () => void;
}

/** Milliseconds the children of a crashed process get to end by themselves. */
const CRASH_GRACE_MS = 500;
const LAST_WORDS_MS = 500;

/** A process that runs now. */
interface Run {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly began_ms: number;
  readonly exited: Promise<void>;
  readonly ended: AbortController;
  readonly captured: Promise<unknown>;
}

/** One supervised service: a process group of its own that is started again when it ends, until it does so too often. */
export class Service {
  #state: ServiceView['state'] = 'stopped';
  #run: Run | null = null;
  #restarts = 0;
  #in_a_row = 0;
  #started_at: string | null = null;
  #last_exit: ServiceView['last_exit'] = null;
  #backoff: NodeJS.Timeout | undefined;
  #clearing: Promise<boolean> | null = null;
  #stopping: Promise<void> | null = null;
  #closed = false;

  constructor(
    readonly config: ServiceConfig,
    readonly deps: ServiceDeps,
  ) {}

  view(): ServiceView {
    return {
      name: this.config.name,
      state: this.#state,
      pid: this.#run?.pid ?? null,
      restarts: this.#restarts,
      started_at: this.#run ? this.#started_at : null,
      last_exit: this.#last_exit,
    };
  }

  /**
   * Starts the service unless it runs; resolves once it was spawned (null) or with the reason it could not be. A start by hand forgives
   * earlier crashes. Throws OpError(adapter_failed) once the agent stops.
   */
  async start(): Promise<StartFault | null> {
    if (this.#closed) throw new OpError('adapter_failed', { reason: 'agent_stopping' });
    clearTimeout(this.#backoff);
    // What a crash left is still being ended: a start must not meet it.
    await this.#clearing;
    clearTimeout(this.#backoff);
    if (this.#run) return null;
    this.#in_a_row = 0;
    return this.#launch();
  }

  /** Ends the service and its whole process group. Throws OpError(adapter_failed) when something survives SIGKILL. */
  stop(): Promise<void> {
    // Two callers share one stop: a second SIGTERM means "at once" to many programs.
    this.#stopping ??= this.#end().finally(() => (this.#stopping = null));
    return this.#stopping;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#backoff);
    this.#set('stopping');
    await this.#clearing;
    const run = this.#run;
    if (run) {
      if (!(await this.#clear(run, this.config.stop_timeout_ms)))
        throw new OpError('adapter_failed', { reason: 'not_stopped' });
      await run.exited;
    }
    this.#set('stopped');
  }

  /** Stops for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.stop();
    await this.deps.output.close();
  }

  #launch(): Promise<StartFault | null> {
    const { name, argv, cwd, env } = this.config;
    let child: ChildProcess;
    try {
      // No shell, a group of its own, and exactly the configured environment and its owner: nothing is inherited (D11, field case F34).
      child = spawn(argv[0]!, argv.slice(1), {
        cwd,
        env: { ...env, [OWNER_VARIABLE]: ownerOf(this.deps.run_dir) },
        detached: true,
        shell: false,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      return Promise.resolve(this.#notStarted(error));
    }
    if (child.pid === undefined) {
      this.#set('starting');
      return new Promise((resolve) => child.once('error', (error) => resolve(this.#notStarted(error))));
    }
    try {
      writePidFile(this.deps.run_dir, name, child.pid);
    } catch (error) {
      // A full disk must not take the service down; only a killed agent would miss this file.
      this.deps.log.error({ err: error, service: name }, 'pid file could not be written');
    }
    this.#adopt(child, child.pid);
    return Promise.resolve(null);
  }

  #adopt(child: ChildProcess, pid: number): void {
    const { clock, log, output } = this.deps;
    const captured = Promise.all([capture(child.stdout!, output), capture(child.stderr!, output)]);
    const ended = new AbortController();
    const exited = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        ended.abort();
        this.#exited(code, signal);
        resolve();
      });
    });
    child.on('error', (error) =>
      log.warn({ err: error, service: this.config.name }, 'service process error'),
    );
    const run = { child, pid, began_ms: clock.now(), exited, ended, captured };
    this.#run = run;
    this.#started_at = clock.iso();
    this.#set('starting');
    void this.#becomeRunning(run);
  }

  async #becomeRunning(run: Run): Promise<void> {
    const { ready } = this.config;
    if (ready && !(await untilReady((signal) => this.deps.isReady(ready, signal), run.ended.signal))) return;
    if (this.#run === run && this.#state === 'starting') this.#set('running');
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    const run = this.#run!;
    this.#run = null;
    this.#last_exit = { code, signal, at: this.deps.clock.iso() };
    this.deps.log.info({ service: this.config.name, pid: run.pid, code, signal }, 'service process ended');
    if (this.deps.clock.now() - run.began_ms >= stableMs(this.config.observe_ms)) this.#in_a_row = 0;
    if (this.#state === 'stopping') return;
    this.#clearing = this.#clear(run, CRASH_GRACE_MS);
    this.#again(this.#clearing);
  }

  /** Ends what is left of a process group: children left behind would hold the port and the output. False when something survives. */
  async #clear(run: Run, term_ms: number): Promise<boolean> {
    const gone = await endGroup(run.pid, term_ms);
    if (!gone) {
      this.deps.log.error({ service: this.config.name, pid: run.pid }, 'a process of the group survives');
      return false;
    }
    removePidFile(this.deps.run_dir, this.config.name);
    // Its last words are still in the pipe; a descendant outside the group may hold the pipe open for ever.
    await Promise.race([run.captured, sleep(LAST_WORDS_MS)]);
    run.child.stdout?.destroy();
    run.child.stderr?.destroy();
    return true;
  }

  #notStarted(error: unknown): StartFault {
    const fault = startFaultOf(error);
    this.#last_exit = { code: null, signal: null, at: this.deps.clock.iso() };
    this.deps.log.warn({ service: this.config.name, fault }, 'service could not be started');
    if (this.#state !== 'stopping' && this.#state !== 'stopped') this.#again(Promise.resolve(true));
    return fault;
  }

  #again(cleared: Promise<boolean>): void {
    const { max_restarts, backoff_ms } = this.config.restart;
    if (this.#in_a_row >= max_restarts) {
      this.#set('crash_loop');
      return;
    }
    this.#in_a_row += 1;
    this.#set('starting');
    const delay_ms = backoffMs(backoff_ms, this.#in_a_row);
    void cleared.then((gone) => {
      // A second copy beside a survivor would fight it for port and files.
      if (this.#state !== 'starting' || this.#run) return;
      if (!gone) return this.#set('crash_loop');
      this.#backoff = setTimeout(() => {
        this.#restarts += 1;
        void this.#launch();
      }, delay_ms);
    });
  }

  #set(state: ServiceView['state']): void {
    this.#state = state;
    this.deps.changed();
  }
}
