import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sample } from '../fixture/sample.js';
import { adaosctl } from '../fixture/terminal.js';
import { refusal, startFixtureZone, type FixtureZone } from '../fixture/zone.js';

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone(sample())));
afterEach(() => zone.close());

const CALL = '/v1/root/mcp/call';
const sent = () => zone.seen.find(({ url }) => url === CALL)?.body;

describe('arguments', () => {
  test('are typed by the contract of the zone for a tool this build does not know', async () => {
    const line =
      'tools call lab.run_probe --target demo --arg line=7 mode=deep rounds=3 limit=-1.5 verbose=true';
    const more = ' ports=80,443 labels=a,b --arg filter={"x":1} --dry-run --request-id r-1';
    expect((await adaosctl(zone, line + more)).code).toBe(0);
    expect(sent()).toEqual({
      tool_id: 'lab.run_probe',
      dry_run: true,
      request_id: 'r-1',
      arguments: {
        target_id: 'hub:demo',
        line: '7',
        mode: 'deep',
        rounds: 3,
        limit: -1.5,
        verbose: true,
        ports: [80, 443],
        labels: ['a', 'b'],
        filter: { x: 1 },
      },
    });
  });

  test('of a known tool need no look at the contract', async () => {
    await adaosctl(zone, 'tools call hub_get_logs --arg source=web --arg tail=50');
    expect(zone.seen.map(({ url }) => url)).toEqual([CALL]);
    expect(sent()).toEqual({
      tool_id: 'hub_get_logs',
      arguments: { source: 'web', tail: 50 },
      request_id: 'cli-fixture',
    });
  });

  test('stay apart from the approval of the call; a call that waits for one says how to get it', async () => {
    const error = { code: 'approval_required', message: 'No.', details: { approval_id: 'apr_1' } } as const;
    zone.call = () => ({ ok: false, status: 'approval_required', error });
    const { code, err } = await adaosctl(zone, 'tools call hub.get_logs --approval apr_0');
    expect(sent()).toMatchObject({ approval_id: 'apr_0', arguments: {} });
    expect(code).toBe(1);
    expect(err.replace(/\s+/g, ' ')).toContain(
      'adaosctl approvals approve apr_1; then repeat the same call with --approval apr_1',
    );
  });

  test('come as JSON too, beside --arg', async () => {
    await adaosctl(zone, 'tools call hub.get_logs --json-args {"contains":"a,b"} --arg tail=1');
    expect(sent()).toMatchObject({ arguments: { contains: 'a,b', tail: 1 } });
  });

  test.each([
    ['--arg tail=many', 'The argument tail must be a whole number.'],
    ['--arg tail=1.5', 'The argument tail must be a whole number.'],
    ['--arg tail=9007199254740993', 'The argument tail must be a whole number.'],
    ['--arg tail', '"tail" is no argument; write --arg name=value.'],
    ['--arg tail=1 tail=2', 'The argument tail was given twice.'],
    ['--arg lines=1', 'The tool has no argument lines; it takes source, tail, contains, target_id.'],
    ['--arg __proto__=1', 'The tool has no argument __proto__; it takes source, tail, contains, target_id.'],
    ['--json-args {"tail":1} --arg tail=1', 'The argument tail was given twice.'],
    ['--json-args {"target_id":"x"} --target demo', 'The argument target_id was given twice.'],
    ['--json-args [1]', '--json-args must be a JSON object.'],
    ['--json-args {', '--json-args: The body is not valid JSON.'],
    ['--json-args {"a":1,"a":2}', '--json-args: The body names a key twice.'],
  ])('%s is refused before anything is sent', async (flags, message) => {
    const { code, err } = await adaosctl(zone, `tools call hub.get_logs ${flags}`);
    expect(code).toBe(2);
    expect(err).toBe(`error: ${message}\n  next    See what it takes: adaosctl tools show hub.get_logs\n`);
    expect(sent()).toBeUndefined();
  });

  test('a lease that may not read contracts still gets the types of this build', async () => {
    zone.intercept = ({ url }) => (url.includes('/contracts/') ? refusal('forbidden') : undefined);
    const { code, err } = await adaosctl(zone, 'tools call hub.get_logs --arg lines=1');
    expect(code).toBe(2);
    expect(err).toContain('The tool has no argument lines');
  });
});

describe('a result', () => {
  test('of objects and lists, at 80 columns', async () =>
    expect(await adaosctl(zone, 'tools call hub.get_status --target demo', { columns: 80 })).toEqual({
      code: 0,
      err: '',
      out:
        '  hub_id  demo\n' +
        '  health  healthy\n' +
        '  at      just now\n' +
        '  agent\n' +
        '    version   0.1.0\n' +
        '    pid       4021\n' +
        '    uptime_s  7200.4\n' +
        '  skill\n' +
        '    name     infra_access_skill\n' +
        '    version  1.0.0\n' +
        '    state    enabled\n' +
        '  services (2)\n' +
        '    name    state       pid   restarts  started_at  last_exit\n' +
        '    web     running     4100         0  2 h ago     -\n' +
        '    worker  crash_loop  -            0  2 h ago     -\n' +
        '\n' +
        'succeeded · subnet_active by supervisor · event evt_01K6FZ8Q000000000000000042\n',
    }));

  test('of log lines, with what is missing from it', async () =>
    expect((await adaosctl(zone, 'tools call hub.get_logs --target demo', { columns: 80 })).out).toBe(
      '  source         web\n' +
        '  sources        web, worker, agent\n' +
        '  count          2\n' +
        '  bytes_scanned  81.5 KiB\n' +
        '  complete       no\n' +
        '  lines (2)\n' +
        '    2026-10-01T11:59:58Z GET /health 200 3ms\n' +
        '    2026-10-01T11:59:59Z token=[redacted] refreshed\n' +
        '\n' +
        '1 masked value.\n' +
        'Not complete: older lines were not scanned.\n' +
        'succeeded · subnet_active by files · event evt_01K6FZ8Q000000000000000042\n',
    ));

  test('with nothing in it, of a dry run that was a repeat', async () => {
    zone.call = () => ({ result: {}, dry_run: true, truncated: true, meta: { replayed: true } });
    expect((await adaosctl(zone, 'tools call x')).out).toBe(
      'Dry run: nothing was changed.\n' +
        '  Done; the tool answered nothing.\n' +
        '\n' +
        'The result was cut; ask for less to see all of it.\n' +
        'The first result of this request id; nothing ran again.\n' +
        'succeeded · event evt_01K6FZ8Q000000000000000042\n',
    );
  });

  test('with --json is the envelope', async () => {
    const { out } = await adaosctl(zone, 'tools call hub.get_status --json');
    expect(JSON.parse(out)).toMatchObject({
      tool_id: 'hub.get_status',
      ok: true,
      result: { hub_id: 'demo' },
    });
  });
});

describe('a refusal', () => {
  const line = 'tools call hub.restart_service --target demo --arg service=web';
  test('says what to do and where it is on record', async () =>
    expect(await adaosctl(zone, line)).toEqual({
      code: 1,
      out: '',
      err:
        'error: The target environment does not allow this tool. (environment_forbidden)\n' +
        '  next    See where the tool may run: adaosctl tools show hub.restart_service\n' +
        '  event   adaosctl events show evt_01K6FZ8Q000000000000000002\n',
    }));

  test('with --json is the envelope', async () => {
    const { code, out, err } = await adaosctl(zone, `${line} --json`);
    expect([code, err]).toEqual([1, '']);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      status: 'denied',
      error: { code: 'environment_forbidden' },
    });
  });

  test.each([
    ['lease_revoked', 3],
    ['target_offline', 1],
    ['dependency_unavailable', 4],
  ] as const)('of code %s ends with %d', async (code, exit) => {
    zone.call = () => ({ ok: false, status: 'failed', error: { code, message: 'No.' } });
    expect((await adaosctl(zone, 'tools call x --target demo')).code).toBe(exit);
  });

  test('without an answer tells how to get it', async () => {
    zone.intercept = ({ url }) => (url === CALL ? 'hang' : undefined);
    const { code, err } = await adaosctl(zone, `${line} --timeout 50ms`);
    expect(code).toBe(4);
    expect(err).toContain(
      '  next    The call may have run. Repeat it with --request-id cli-fixture to get its first result.\n',
    );
  });
});
