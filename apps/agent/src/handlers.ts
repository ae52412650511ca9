import type { HandlerTable } from '@adaos/runtime';
import type { ServeContext, ServeOptions } from '@adaos/bus';
import { cancel, control, type ControlDeps } from './control.js';
import { exec, type ExecDeps } from './exec.js';

/** Subject → function. The whole public face of the agent. */
export const handlers = (deps: ExecDeps & ControlDeps) =>
  ({
    hub_exec: (body: unknown, context: ServeContext) => exec(deps, body, context),
    hub_cancel: (body: unknown) => cancel(deps, body),
    hub_control: (body: unknown) => control(deps, body),
  }) satisfies HandlerTable;

/**
 * Requests taken in at once per subject. Each subject has its own: a cancel or a revocation never waits behind the calls it is about.
 * What exec takes in beyond its lanes waits there, with its deadline; repeats of a running write wait for its reply.
 */
export const SERVE_BOUNDS = {
  hub_exec: { queue: 'agent', max_concurrency: 128, max_waiting: 64 },
  hub_cancel: { queue: 'agent', max_concurrency: 32, max_waiting: 256 },
  hub_control: { queue: 'agent', max_concurrency: 32, max_waiting: 256 },
} as const satisfies Record<string, ServeOptions>;
