import { expect, test } from '@jest/globals';
import type { ServeContext } from '@adaos/bus';
import { digestOf } from '@adaos/contracts';
import { silentLog, systemClock } from '@adaos/runtime';
import { createLane } from './bounded.js';
import { exec, type ExecDeps } from './exec.js';
import { createRunningCalls } from './running-calls.js';

test('a lease that was revoked begins nothing, and nothing stays registered', () => {
  const running = createRunningCalls();
  running.revoke('lse_1');
  const { signal } = new AbortController();
  expect(() => running.begin('evt_1', 'lse_1', signal)).toThrow(
    expect.objectContaining({ code: 'lease_revoked' }),
  );
  expect(running.cancel('evt_1')).toBe(0);
  running.begin('evt_1', 'lse_2', signal).end();
  expect(running.cancel('evt_1')).toBe(0);
});

/** A call whose permit is being checked: `verified` ends the check. What lies behind it is out of reach for a call that was taken back. */
function atPermitCheck(tool_id: string, args: object) {
  const running = createRunningCalls();
  let verified: () => void = () => undefined;
  const checked = new Promise<void>((resolve) => (verified = resolve));
  const lane = createLane({ max_concurrency: 1, max_waiting: 1 });
  const deps = {
    hub_id: 'hub-1',
    clock: systemClock,
    log: silentLog,
    adapter_deps: {
      skill: () => ({ name: 'infra_access_skill', version: '1', state: 'enabled' }),
      supervisor: { find: () => ({}) },
    },
    verify: () => checked,
    running,
    lanes: { read: lane, write: lane },
    max_result_bytes: () => 4_096,
  } as unknown as ExecDeps;
  const request = {
    event_id: 'evt_1',
    request_id: 'req_1',
    trace_id: '0'.repeat(32),
    lease_id: 'lse_1',
    actor: 'tester',
    tool_id,
    target_id: 'hub:hub-1',
    subnet_id: 'subnet-1',
    arguments: args,
    arguments_digest: digestOf(args),
    dry_run: false,
  };
  const context = { headers: {}, signal: new AbortController().signal } as unknown as ServeContext;
  return { running, verified: () => verified(), reply: exec(deps, request, context) };
}

test.each([
  ['hub.get_status', {}],
  ['hub.restart_service', { service: 'web' }],
])('%s: a revocation or a cancel while the permit is checked ends the call', async (tool_id, args) => {
  const revoked = atPermitCheck(tool_id, args);
  expect(revoked.running.revoke('lse_1')).toBe(1);
  revoked.verified();
  expect(await revoked.reply).toMatchObject({ status: 'denied', error: { code: 'lease_revoked' } });

  const cancelled = atPermitCheck(tool_id, args);
  expect(cancelled.running.cancel('evt_1')).toBe(1);
  cancelled.verified();
  expect(await cancelled.reply).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
  expect(cancelled.running.cancel('evt_1')).toBe(0);
});
