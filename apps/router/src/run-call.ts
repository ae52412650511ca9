import {
  hubIdOf,
  isWrite,
  OpError,
  type ExecReply,
  type ExecRequest,
  type ProgressStep,
  type ToolContract,
} from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Clock } from '@adaos/runtime';
import { dispatch } from './dispatch.js';
import type { GrantCache } from './grants.js';
import { endedBy } from './ended-by.js';
import type { InFlight, RunningCall } from './in-flight.js';
import { createProgressGate } from './progress-gate.js';

export interface RunDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly grants: GrantCache;
  readonly in_flight: InFlight;
}

/**
 * Makes a call reachable for cancels and revocations from its first step until its end: what comes while it waits for policy or for its
 * opening record must not be lost, and a record that took seconds must not be followed by an effect nobody waits for any more.
 */
export function startRun(
  deps: RunDeps,
  call_id: string,
  caller: AbortSignal | undefined,
  tell: ((step: ProgressStep) => void) | null,
) {
  const abort = new AbortController();
  let finish: (reply: ExecReply) => void = () => undefined;
  const told = new Promise<ExecReply>((resolve) => (finish = resolve));
  let takeBack: () => void = () => undefined;
  const taken_back = new Promise<void>((resolve) => (takeBack = resolve));
  const running: RunningCall = {
    call_id,
    lease_id: '',
    event_id: '',
    hub_id: null,
    writes: false,
    dispatched: false,
    abort,
    finish,
    gate: tell && createProgressGate(deps.clock, tell),
    takeBack,
    self_rotation: false,
  };
  deps.in_flight.add(running);

  return {
    /** Resolves when the lease of a write that runs on the hub is taken back. */
    taken_back,
    /** From here on it belongs to a lease. */
    admit(lease_id: string, event_id: string): void {
      deps.in_flight.admit(running, lease_id, event_id);
    },
    /** Runs it, unless its caller or its lease is gone by now. */
    async dispatch(tool: ToolContract, exec: ExecRequest, self_rotation: boolean): Promise<ExecReply> {
      if (deps.grants.isRevoked(exec.lease_id)) throw new OpError('lease_revoked');
      if (abort.signal.aborted) throw endedBy(abort.signal);
      if (caller?.aborted) throw new OpError('deadline_exceeded');
      const hub_id = tool.served_by === 'hub' ? hubIdOf(exec.target_id ?? '') : null;
      Object.assign(running, { hub_id, writes: isWrite(tool), dispatched: true, self_rotation });
      return Promise.race([dispatch(deps.bus, tool, exec, abort.signal), told]);
    },
    end(): void {
      deps.in_flight.remove(running);
      running.gate?.end();
    },
  };
}
