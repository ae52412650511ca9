import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sample } from '../fixture/sample.js';
import { adaosctl } from '../fixture/terminal.js';
import { BEARER, refusal, startFixtureZone, type FixtureZone } from '../fixture/zone.js';

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone(sample())));
afterEach(() => zone.close());

const posted = () => zone.seen.filter(({ method }) => method === 'POST').map(({ url, body }) => [url, body]);
const ISSUE = 'lease issue demo --profile InfraOpsRead';

describe('lease issue', () => {
  test('shows the bearer once, and what to paste', async () => {
    const { code, out, err } = await adaosctl(zone, [...ISSUE.split(' '), '--note', 'nightly run'], {
      columns: 80,
    });
    expect([code, err]).toEqual([0, '']);
    expect(out.replaceAll(zone.url, 'URL')).toBe(
      'Bearer, shown this once:\n' +
        '\n' +
        '  export ADAOS_ROOT_MCP_AUTH=mcp_fixture-bearer-shown-once\n' +
        '\n' +
        '  lease     lse_01K6FZ8Q000000000000000004\n' +
        '  target    hub:demo\n' +
        '  profile   InfraOpsRead, 2 tools\n' +
        '  ends      in 4 h (2026-10-01 16:00:00)\n' +
        '  audience  codex\n' +
        '  note      nightly run\n' +
        '\n' +
        'codex configuration, for ~/.codex/config.toml\n' +
        '\n' +
        '  [mcp_servers.adaos-demo]\n' +
        '  url = "URL/v1/root/mcp"\n' +
        '  bearer_token_env_var = "ADAOS_ROOT_MCP_AUTH"\n' +
        '\n' +
        'Put the bearer into the environment variable first; keep it out of files that\n' +
        'are committed.\n' +
        'Codex refuses an inline bearer_token.\n' +
        'If it says that the server "is not logged in", the bearer was refused: `codex\n' +
        'mcp login` will not help, a new lease will.\n',
    );
    expect(out.split(BEARER)).toHaveLength(2);
  });

  test('sends what was asked for', async () => {
    const flags = '--ttl 1h30m --audience ci --client claude-code --capability hub.get_status hub.get_logs';
    expect((await adaosctl(zone, `${ISSUE} ${flags}`)).code).toBe(0);
    expect(posted()).toEqual([
      [
        '/v1/root/mcp/sessions',
        {
          target_id: 'hub:demo',
          capability_profile: 'InfraOpsRead',
          capabilities: ['hub.get_status', 'hub.get_logs'],
          ttl_seconds: 5400,
          audience: 'ci',
        },
      ],
    ]);
    expect(zone.seen.at(-1)!.url).toMatch(/\/sessions\/lse_\w+\/client-config\?client=claude-code$/);
  });

  test('the bearer is not lost when the configuration is', async () => {
    zone.intercept = ({ url }) =>
      url.includes('client-config') ? refusal('dependency_unavailable') : undefined;
    const { code, out, err } = await adaosctl(zone, ISSUE);
    expect(code).toBe(0);
    expect(out).toContain(BEARER);
    expect(err).toBe(
      'The configuration for codex could not be had: A part of the zone is away; retry shortly.\n',
    );
    const json = await adaosctl(zone, `${ISSUE} --json`);
    expect(JSON.parse(json.out)).toMatchObject({ bearer: BEARER, client_config: null });
  });

  test('--json is one document with the bearer and the configuration', async () => {
    const { code, out, err } = await adaosctl(zone, `${ISSUE} --json --client vscode`);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      session: { target_id: 'hub:demo', deadline_at: '2026-10-01T16:00:00.000Z' },
      bearer: BEARER,
      client_config: { client: 'vscode', file: '.vscode/mcp.json', format: 'json' },
    });
  });

  test('a refusal names what is known', async () => {
    const { code, out, err } = await adaosctl(zone, 'lease issue demo --profile Nope');
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      'error: Unknown capability profile. (invalid_argument)\n' +
        '  detail  known: SdkRead, InfraOpsRead, InfraOpsControl\n' +
        '  next    See what is expected: add --help, or adaosctl tools show <tool>\n' +
        '  trace   0af7651916cd43dd8448eb211c80319c\n',
    );
  });
});

describe('lease list', () => {
  test('at 80 columns', async () =>
    expect((await adaosctl(zone, 'lease list', { columns: 80 })).out).toBe(
      'LEASE                          TARGET      PROFILE         STATUS  ENDS     USES\n' +
        'lse_01K6FZ8Q000000000000000003 hub:demo    InfraOpsRead    active  in 3 h     12\n' +
        'lse_01K6FZ8Q000000000000000002 hub:rack-0… InfraOpsControl active  in 3 h     12\n' +
        'lse_01K6FZ8Q000000000000000001 hub:demo    InfraOpsRead    expired 24 h ago    0\n',
    ));

  test('at 120 columns', async () =>
    expect((await adaosctl(zone, 'lease list --status expired', { columns: 120 })).out).toBe(
      'LEASE                           TARGET    PROFILE       STATUS   ENDS      USES  LAST USE  AUDIENCE  NOTE\n' +
        'lse_01K6FZ8Q000000000000000001  hub:demo  InfraOpsRead  expired  24 h ago     0  never     codex     nightly run\n',
    ));

  test('filters are handed to the zone', async () => {
    expect((await adaosctl(zone, 'lease list --status revoked --target demo')).out).toBe('No such leases.\n');
    expect(zone.seen[0]!.url).toBe('/v1/root/mcp/sessions?status=revoked&target_id=hub%3Ademo&limit=200');
  });
});

describe('lease rotate', () => {
  const id = 'lse_01K6FZ8Q000000000000000003';
  test('shows the new bearer once and says what became of the old one', async () => {
    const { code, out, err } = await adaosctl(zone, `lease rotate ${id}`);
    expect([code, err]).toEqual([0, '']);
    expect(out.split(BEARER)).toHaveLength(2);
    expect(out).toContain(`${id} opens nothing any more.`);
    const slow = await adaosctl(zone, `leases rotate ${id} --overlap 10m`);
    expect(slow.out).toContain(`${id} opens until it ends in 10 min.`);
    expect(posted()).toEqual([
      [`/v1/root/mcp/sessions/${id}/rotate`, {}],
      [`/v1/root/mcp/sessions/${id}/rotate`, { overlap_seconds: 600 }],
    ]);
  });
});

describe('lease revoke', () => {
  const id = 'lse_01K6FZ8Q000000000000000003';
  test('ends it', async () => {
    const ran = await adaosctl(zone, `lease revoke ${id} --reason leaked`);
    expect(ran).toEqual({
      code: 0,
      err: '',
      out: `Revoked ${id} on hub:demo; its bearer opens nothing any more.\n`,
    });
    expect(posted()).toEqual([[`/v1/root/mcp/sessions/${id}/revoke`, { reason: 'leaked' }]]);
  });

  test('of one that is not there', async () =>
    expect(await adaosctl(zone, 'lease revoke lse_nope')).toEqual({
      code: 1,
      out: '',
      err:
        'error: No such lease on this target. (invalid_argument)\n' +
        '  next    See which leases there are: adaosctl lease list --status active\n' +
        '  trace   0af7651916cd43dd8448eb211c80319c\n',
    }));
});
