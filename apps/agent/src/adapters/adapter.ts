import type { HubReport, ProgressStep, Redaction } from '@adaos/contracts';
import type { Clock } from '@adaos/runtime';
import type { AgentConfig } from '../agent-config.js';
import type { Supervisor } from '../supervisor/supervisor.js';

/** What every adapter may look at; nothing else of the process reaches it. */
export interface AdapterDeps {
  readonly config: AgentConfig;
  readonly data_dir: string;
  readonly clock: Clock;
  readonly supervisor: Supervisor;
  readonly skill: () => HubReport['skill'];
  /** Calls that run and calls that wait, now. */
  readonly queue: () => { running: number; waiting: number };
}

export interface AdapterContext extends AdapterDeps {
  /** Aborts at the deadline, on cancel and when the lease is revoked. */
  readonly signal: AbortSignal;
  /** Milliseconds until `signal` aborts, as of the start. */
  readonly timeout_ms: number;
  readonly dry_run: boolean;
  /** Says how far it has come, for who waits; a step must be further than the one before. */
  readonly progress: (step: ProgressStep) => void;
  /** Bytes of JSON the output may have; an adapter that can give less gives less, others fail by it. */
  readonly max_bytes: number;
}

export interface AdapterResult {
  /** Valid against the tool's output schema. */
  readonly output: Record<string, unknown>;
  /** false: there is more than the answer shows. */
  readonly complete: boolean;
  /** The output was shortened to fit `max_bytes`. */
  readonly truncated?: boolean;
  /** What the adapter masked itself, before it cut anything. */
  readonly redactions?: readonly Redaction[];
}

/** The one place where a tool touches the hub. `adapter` is its published name. */
export interface Adapter {
  readonly tool_id: string;
  readonly adapter: string;
  /** The hub's own allowlist: throws OpError(forbidden) for arguments it does not offer. Runs before anything is journaled. */
  readonly allow?: (args: Readonly<Record<string, unknown>>, deps: AdapterDeps) => void;
  readonly run: (args: Readonly<Record<string, unknown>>, context: AdapterContext) => Promise<AdapterResult>;
}
