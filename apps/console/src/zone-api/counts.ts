import type { StoredEvent } from '@adaos/contracts';

/**
 * A read by an operator that went well: mostly this page looking at targets and leases. Left out of lists unless asked for, and counted,
 * so that it is never hidden without a word. A refused one always shows.
 */
export const isOperatorRead = (event: StoredEvent): boolean =>
  event.auth_method === 'operator_token' &&
  event.status === 'succeeded' &&
  event.side_effect_class === 'none';

export interface Outcomes {
  readonly calls: number;
  readonly succeeded: number;
  readonly denied: number;
  readonly failed: number;
  readonly other: number;
}

const FAILED = new Set(['failed', 'timed_out', 'indeterminate']);

/** How many of these events ended how. */
export function outcomesOf(events: readonly StoredEvent[]): Outcomes {
  const count = (test: (event: StoredEvent) => boolean) => events.filter(test).length;
  const succeeded = count(({ status }) => status === 'succeeded');
  const denied = count(({ status }) => status === 'denied');
  const failed = count(({ status }) => FAILED.has(status));
  return {
    calls: events.length,
    succeeded,
    denied,
    failed,
    other: events.length - succeeded - denied - failed,
  };
}

/** Refusals and failures that are the same thing again: newest of each kind, with how often. */
export interface Trouble {
  readonly event: StoredEvent;
  readonly times: number;
}

/** What went wrong lately, one entry per code, tool and target, newest first. */
export function troublesOf(events: readonly StoredEvent[], limit: number): Trouble[] {
  const troubles = new Map<string, { event: StoredEvent; times: number }>();
  for (const event of events) {
    if (event.status !== 'denied' && !FAILED.has(event.status)) continue;
    const key = JSON.stringify([event.error?.code, event.tool_id, event.target_id, event.determining_rules]);
    const known = troubles.get(key);
    if (known) known.times += 1;
    else troubles.set(key, { event, times: 1 });
  }
  return [...troubles.values()].slice(0, limit);
}
