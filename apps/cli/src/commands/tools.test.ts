import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sample } from '../fixture/sample.js';
import { adaosctl } from '../fixture/terminal.js';
import { startFixtureZone, type FixtureZone } from '../fixture/zone.js';

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone(sample())));
afterEach(() => zone.close());

describe('tools list', () => {
  test('at 80 columns', async () =>
    expect(await adaosctl(zone, 'tools list', { columns: 80 })).toEqual({
      code: 0,
      err: '',
      out:
        'TOOL                      PLANE      EFFECT            TITLE\n' +
        'adaos_dev.get_foundation  adaos_dev  none              Describe this zone\n' +
        'hub.get_status            infra_ops  none              Hub status\n' +
        'hub.get_logs              infra_ops  none              Hub logs\n' +
        'hub.restart_service       infra_ops  reversible_write  Restart a service\n' +
        'lab.run_probe             infra_ops  reversible_write  Run a probe\n',
    }));

  test('filters are handed to the zone', async () => {
    const { out } = await adaosctl(zone, 'tools list --surface operations --plane adaos_dev');
    expect(out).toBe('No such tools.\n');
    expect(zone.seen[0]!.url).toBe('/v1/root/mcp/contracts?surface=operations&plane_id=adaos_dev');
  });

  test('--json', async () => {
    const { out } = await adaosctl(zone, 'tools list --surface development --json');
    expect(JSON.parse(out)).toMatchObject({ ok: true, contracts: [{ tool_id: 'adaos_dev.get_foundation' }] });
  });
});

describe('tools show', () => {
  test('at 80 columns', async () =>
    expect(await adaosctl(zone, 'tools show lab_run_probe', { columns: 80 })).toEqual({
      code: 0,
      err: '',
      out:
        'lab.run_probe Run a probe\n' +
        '  Measures one line of the lab, without changing anything on it.\n' +
        '\n' +
        '  MCP name      lab_run_probe\n' +
        '  plane         infra_ops (operations)\n' +
        '  effect        reversible_write\n' +
        '  class         operational_bounded_write\n' +
        '  capability    lab.run_probe\n' +
        '  environments  test\n' +
        '  approval      none\n' +
        '  dry run       supported\n' +
        '  repeats       the same --request-id answers the first result\n' +
        '  time          at most 90 s\n' +
        '  rate          30 calls in 1 min\n' +
        '  at once       1 per target, 2 per caller\n' +
        '  version       1, stable\n' +
        '\n' +
        'Arguments\n' +
        '  line string, required\n' +
        '      Which line.\n' +
        '  mode fast|deep\n' +
        '      How thorough.\n' +
        '  rounds integer\n' +
        '  limit number\n' +
        '  verbose boolean\n' +
        '  ports list of integer\n' +
        '  labels list of string\n' +
        '  filter object\n' +
        '  target_id string\n' +
        "      The target; may be left out, a lease has only one. Another lease's target\n" +
        '      is refused.\n' +
        '  dry_run boolean\n' +
        '      true: say what would happen and change nothing.\n' +
        '  request_id string\n' +
        '      Repeat a write with the same id to get its first result instead of a\n' +
        '      second effect.\n' +
        '  approval_id string\n' +
        '      Approval of exactly this change, from the answer that asked for it; works\n' +
        '      once.\n' +
        '\n' +
        'Call it\n' +
        '  adaosctl tools call lab.run_probe --target <target> --arg line=…\n',
    }));

  test('of one that is not there', async () => {
    const { code, err } = await adaosctl(zone, 'tools show nope');
    expect(code).toBe(1);
    expect(err).toContain(
      'error: Unknown tool. (tool_not_found)\n  next    Compare with adaosctl tools list. If it is there,',
    );
  });
});
