import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sample } from '../fixture/sample.js';
import { adaosctl } from '../fixture/terminal.js';
import { refusal, startFixtureZone, type FixtureZone } from '../fixture/zone.js';

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone(sample())));
afterEach(() => zone.close());

const posted = () => zone.seen.filter(({ method }) => method === 'POST').map(({ url, body }) => [url, body]);

describe('targets list', () => {
  test('at 80 columns', async () =>
    expect(await adaosctl(zone, 'targets list', { columns: 80 })).toEqual({
      code: 0,
      err: '',
      out:
        'TARGET                  ENV     STATUS     SKILL   SEEN     SUBNET TITLE\n' +
        'hub:demo                test    online     enabled just now lab-1  Demo test hub\n' +
        'hub:rack-07-integration staging offline    enabled 1 h ago  lab-1  Integration …\n' +
        'hub:new                 test    registered enabled never    lab-1  new\n',
    }));

  test('with filters, handed to the zone', async () => {
    const { out } = await adaosctl(zone, 'targets list --status offline --environment staging');
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'TARGET',
      'hub:rack-07-integration',
      '',
    ]);
    expect(zone.seen[0]!.url).toBe('/v1/root/mcp/targets?environment=staging&status=offline&limit=200');
  });

  test('more than asked for is said', async () => {
    const { out, err } = await adaosctl(zone, 'targets list --limit 2');
    expect(out.trimEnd().split('\n')).toHaveLength(3);
    expect(err).toBe('There are more than 2; --limit shows them.\n');
  });

  test('--json is whole, with times as the zone has them', async () => {
    const { out, err } = await adaosctl(zone, 'targets list --limit 2 --json');
    expect(err).toBe('');
    expect(JSON.parse(out)).toEqual({ ok: true, targets: zone.targets.slice(0, 2), complete: false });
  });
});

describe('targets show', () => {
  test('by the id alone', async () => {
    const { code, out } = await adaosctl(zone, 'targets show demo', { columns: 80 });
    expect(code).toBe(0);
    expect(out).toBe(
      'hub:demo Demo test hub\n' +
        '  status        online\n' +
        '  health        healthy\n' +
        '  environment   test\n' +
        '  zone, subnet  local, lab-1\n' +
        '  owner         local operator\n' +
        '  seen          just now (2026-10-01 11:59:57)\n' +
        '  connected     2 h ago (2026-10-01 10:00:00)\n' +
        '  transport     nats, 4 ms away\n' +
        '  skill         infra_access_skill 1.0.0 enabled\n' +
        '  published     hub.get_status, hub.get_logs, hub.restart_service\n' +
        '  adapters      supervisor, files\n' +
        '  write scope   test-only\n' +
        '  approval      none\n' +
        '  services      web, worker\n' +
        '  capabilities  hub.get_status, hub.get_logs, hub.restart_service\n' +
        '  version       3\n',
    );
  });

  test('of one that is not there', async () =>
    expect(await adaosctl(zone, 'targets show nope')).toEqual({
      code: 1,
      out: '',
      err:
        'error: No such target. (target_not_found)\n' +
        '  next    See which targets there are: adaosctl targets list\n' +
        '  trace   0af7651916cd43dd8448eb211c80319c\n',
    }));
});

describe('targets register', () => {
  test('a new one needs environment and subnet', async () => {
    const { code, err } = await adaosctl(zone, 'targets register fresh --environment test');
    expect(code).toBe(2);
    expect(err).toContain('hub:fresh is not registered yet, so --environment and --subnet are needed.');
    expect(posted()).toEqual([]);
  });

  test('a new one leaves the policy to the zone', async () => {
    const { code, out, err } = await adaosctl(
      zone,
      'targets register hub:fresh --environment test --subnet lab-2',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^Registered\.\nhub:fresh /);
    expect(err).toBe('Nothing is published yet. Next: adaosctl targets skill hub:fresh enabled\n');
    expect(posted()).toEqual([
      ['/v1/root/mcp/targets', { hub_id: 'fresh', environment: 'test', subnet_id: 'lab-2' }],
    ]);
  });

  test('a known one keeps what is not named', async () => {
    const { code, out } = await adaosctl(zone, 'targets register demo --service web api --title Demo');
    expect(code).toBe(0);
    expect(out).toMatch(/^Changed\./);
    expect(out).toContain('  skill         infra_access_skill 0 enabled\n');
    const { policy } = sample().targets![0]!;
    expect(posted()).toEqual([
      [
        '/v1/root/mcp/targets',
        {
          hub_id: 'demo',
          environment: 'test',
          subnet_id: 'lab-1',
          title: 'Demo',
          owner: 'local operator',
          policy: { ...policy, allowed_services: ['web', 'api'] },
        },
      ],
      // The zone takes a changed target for a new one; its skill gets back the state it had.
      ['/v1/root/mcp/targets/hub%3Ademo/skill', { state: 'enabled' }],
    ]);
  });

  test('a known one whose skill state could not be given back is told', async () => {
    zone.intercept = ({ url }) => (url.endsWith('/skill') ? refusal('dependency_unavailable') : undefined);
    const { code, err } = await adaosctl(zone, 'targets register demo --title Demo');
    expect(code).toBe(4);
    expect(err).toContain(
      'The target was changed, but its skill state is lost: adaosctl targets skill hub:demo enabled',
    );
  });
});

test('targets skill', async () => {
  const ran = await adaosctl(zone, 'targets skill demo disabled');
  expect(ran).toEqual({
    code: 0,
    err: '',
    out: 'infra_access_skill on hub:demo is disabled (3 tools published).\n',
  });
  expect(posted()).toEqual([['/v1/root/mcp/targets/hub%3Ademo/skill', { state: 'disabled' }]]);
});
