import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { event } from '../fixture/records.js';
import { sample } from '../fixture/sample.js';
import { adaosctl } from '../fixture/terminal.js';
import { startFixtureZone, type FixtureZone } from '../fixture/zone.js';

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone(sample())));
afterEach(() => zone.close());

const DENIED = 'evt_01K6FZ8Q000000000000000002';
const story = async (given: Parameters<typeof event>[1]) => {
  zone.events = [event(9, given)];
  const { out } = await adaosctl(zone, `events show ${zone.events[0]!.event_id}`);
  return out.split('\n')[1]!.trim();
};

describe('events show', () => {
  test('explains a denial, at 80 columns', async () =>
    expect(await adaosctl(zone, `events show ${DENIED}`, { columns: 80 })).toEqual({
      code: 0,
      err: '',
      out:
        'Event evt_01K6FZ8Q000000000000000002 tool.call\n' +
        '  mcp_session_lease:lse_01K6FZ8Q000000000000000002 asked for hub.restart_service\n' +
        '  on hub:rack-07-integration. Policy denied it. Nothing ran\n' +
        '  (environment_forbidden).\n' +
        '\n' +
        '  when          4 min ago (2026-10-01 11:55:02)\n' +
        '  who           mcp_session_lease:lse_01K6FZ8Q000000000000000002\n' +
        '  signed in by  mcp_session_lease\n' +
        '  lease         lse_01K6FZ8Q000000000000000002\n' +
        '  client        codex 0.5 by mcp from 10.0.0.7\n' +
        '  tool          hub.restart_service\n' +
        '  target        hub:rack-07-integration\n' +
        '  capability    hub.get_status\n' +
        '  arguments     { "service": "web" }\n' +
        '  decision      deny dec_01K6FZ8Q000000000000000002\n' +
        '  rules         guard/environment-allows-tool\n' +
        '  policy        r1\n' +
        '  permit        prm_01K6FZ8Q000000000000000002\n' +
        '  status        denied\n' +
        '  error         environment_forbidden: The target environment does not allow\n' +
        '                this tool.\n' +
        '  timings       21 ms (session 1, policy 2, dispatch 3, adapter 14)\n' +
        '  request       req_01K6FZ8Q000000000000000002\n' +
        '  trace         00000000000000000000000000000002\n' +
        '  record        closed, seq 2, hash\n' +
        `                ${'d'.repeat(64)}\n`,
    }));

  test.each([
    [{}, 'operator:alice asked for hub.get_status on hub:demo. Policy allowed it. It succeeded.'],
    [
      { dry_run: true, target_id: null },
      'operator:alice asked for a dry run of hub.get_status. Policy allowed it. It succeeded.',
    ],
    [
      { status: 'timed_out' },
      'operator:alice asked for hub.get_status on hub:demo. Policy allowed it. It ran out of time; the hub may still report its outcome.',
    ],
    [
      { policy_decision: 'require_approval', status: 'approval_required' },
      'operator:alice asked for hub.get_status on hub:demo. Policy wants an approval first. Nothing ran; it waits for an approval.',
    ],
    [
      {
        actor: null,
        tool_id: null,
        target_id: null,
        policy_decision: null,
        event_type: 'auth.denied',
        status: 'denied',
      },
      'Somebody without a valid credential: auth.denied. Nothing ran.',
    ],
  ] as const)('tells %j', async (given, told) => expect(await story(given)).toBe(told));

  test.each(['000002', '…000002', '0002'])('takes the end of an id as tail shows it: %s', async (end) => {
    expect((await adaosctl(zone, ['events', 'show', end])).out).toContain(`Event ${DENIED} `);
  });

  test('an end that several events have is refused', async () => {
    zone.events = [event(1), event(33)];
    expect(zone.events.map(({ event_id }) => event_id.slice(-2))).toEqual(['01', '11']);
    zone.events[1] = { ...zone.events[1]!, event_id: 'evt_01K6FZ8Q110000000000000001' };
    const { code, err } = await adaosctl(zone, 'events show 0001');
    expect(code).toBe(2);
    expect(err).toBe('error: 2 recent events end in 0001.\n  next    Give more of the id.\n');
  });

  test('of one that is not there', async () => {
    const { code, err } = await adaosctl(zone, 'events show evt_01K6FZ8Q000000000000000099');
    expect(code).toBe(1);
    expect(err).toContain(
      'error: No such event. (target_not_found)\n  next    See recent ids: adaosctl events tail\n',
    );
  });

  test('--json is the event as the zone has it', async () => {
    const { out } = await adaosctl(zone, `events show ${DENIED} --json`);
    expect(JSON.parse(out)).toMatchObject({ ok: true, event: zone.events[1] });
  });
});
