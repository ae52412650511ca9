import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sample } from '../fixture/sample.js';
import { adaosctl, emptyFolder } from '../fixture/terminal.js';
import { answered, refusal, startFixtureZone, type Answer, type FixtureZone } from '../fixture/zone.js';

const FREEZE = `// Nobody restarts a service of the lab during the freeze.
@id("zone.freeze") @code("forbidden") @rank("100") @explain("Frozen.") @needs("the end of the freeze")
forbid (principal is Adaos::Grant, action == Adaos::Action::"call", resource is Adaos::Tool)
when { resource.tool_id == "hub.restart_service" && principal.role == "" };
`;
const CASES = `
- name: frozen
  tool: hub.restart_service
  profile: InfraOpsControl
  expect: { decision: deny, code: forbidden, rules: [zone.freeze], explanation: Frozen. Needs the end of the freeze. }
- name: operators go on
  tool: hub.restart_service
  role: operator
  expect: { decision: allow }
`;

/** A folder with policies and cases, as a team keeps them. */
function folder(files: Record<string, string> = {}) {
  const cwd = emptyFolder();
  for (const [name, text] of Object.entries({ 'freeze.cedar': FREEZE, 'cases.yaml': CASES, ...files }))
    writeFileSync(join(cwd, name), text);
  return cwd;
}

describe('without a zone', () => {
  const offline = (line: string, cwd = folder()) => adaosctl(null, line, { cwd, env: { NO_COLOR: '1' } });

  test('cases run on a folder of policies', async () => {
    const { code, out, err } = await offline('policy test --cases cases.yaml --policies .');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^ok {3}frozen\nok {3}operators go on\n\n2 passed, 0 failed revision [0-9a-f]{12}\n$/,
    );
  });

  test('a case that fails says how, and ends with 1', async () => {
    const cases =
      '[{"name": "x", "tool": "hub.restart_service", "profile": "InfraOpsControl", "expect": {"decision": "allow"}}]';
    const cwd = folder({ 'cases.json': cases });
    const { code, out, err } = await offline('policy test --cases cases.json --policies .', cwd);
    expect(code).toBe(1);
    expect(out).toContain(
      'FAIL x\n      decision: expected allow, got deny\n      zone.freeze (freeze.cedar:2): tool.tool_id is "hub.restart_service", grant.role is "".\n',
    );
    expect(err).toBe('error: 1 of 1 cases did not come out as expected. (cases_failed)\n');
    const json = JSON.parse((await offline('policy test --cases cases.json --policies . --json', cwd)).out);
    expect(json).toMatchObject({ ok: false, failed: 1, results: [{ name: 'x', ok: false }] });
  });

  test('policies with faults are told by file and line', async () => {
    const cwd = folder({ 'b.cedar': 'permit (principal, action, resource);\n' });
    const { code, err } = await offline('policy diff --policies .', cwd);
    expect(code).toBe(1);
    expect(err).toBe(
      'error: 1 fault in the policies. (invalid_argument)\n  detail  b.cedar:1: a policy has no @id\n',
    );
  });

  test('a comparison tells who loses what', async () => {
    const { code, out } = await offline('policy diff --policies . --json');
    expect(code).toBe(0);
    const { groups, changed, from } = JSON.parse(out);
    expect([from, changed]).toEqual(['guards', 2]);
    expect(groups).toEqual([
      expect.objectContaining({
        change: 'loses',
        who: 'profile:InfraOpsControl',
        tools: ['hub.restart_service'],
        environments: ['test'],
        rules: ['zone.freeze'],
      }),
    ]);
    const text = await offline('policy diff --policies . --against .');
    expect(text.out).toMatch(/^\. → \.: none of \d+ calls changes\n$/);
  }, 60_000);

  test.each([
    ['policy test --cases none.yaml --policies .', 'none.yaml can not be read (ENOENT).'],
    ['policy test --cases freeze.cedar --policies .', 'The cases can not be read:'],
    ['policy test --cases cases.yaml --policies nowhere', 'no policy directory'],
    ['policy test --cases cases.yaml --policies . --text freeze.cedar', '--policies tests a folder'],
    ['policy diff --policies . --to pol_1', '--policies compares folders'],
  ])('%s', async (line, told) => {
    const { code, err } = await offline(line);
    expect(code).not.toBe(0);
    expect(err).toContain(told);
  });
});

describe('at a zone', () => {
  let zone: FixtureZone;
  let answers: Record<string, Answer>;
  beforeEach(async () => {
    answers = {};
    zone = await startFixtureZone({
      ...sample(),
      intercept: ({ method, url }) => answers[`${method} ${url.replace('/v1/root/mcp', '')}`],
    });
  });
  afterEach(() => zone.close());
  const VERSION = {
    version_id: 'pol_2',
    seq: 2,
    author: 'operator:alice',
    note: 'freeze',
    digest: 'd',
    restores: null,
    created_at: '2026-10-01T11:59:00.000Z',
  };

  test('put sends the text as it stands', async () => {
    answers['POST /policies'] = answered({ revision: 'r2', version: VERSION, rules: ['zone.freeze'] });
    const cwd = folder();
    const { code, out } = await adaosctl(
      zone,
      ['policy', 'put', 'freeze.cedar', '--note', 'freeze', '--expect', 'none'],
      { cwd },
    );
    expect([code, out]).toEqual([0, 'In force: pol_2 1 rule of the zone, revision r2.\n']);
    expect(zone.seen.at(-1)!.body).toEqual({
      text: readFileSync(join(cwd, 'freeze.cedar'), 'utf8'),
      note: 'freeze',
      expected_version_id: '',
    });
  });

  test('faults that the zone names are told by line', async () => {
    const faults = [
      { file: 'text', line: 3, rule_id: 'zone.x', message: 'no such attribute' },
      { file: 'text', line: 7, rule_id: null, message: 'a policy has no @id' },
    ];
    answers['POST /policies'] = refusal('invalid_argument', { path: '/text', faults });
    const { code, err } = await adaosctl(zone, 'policy put freeze.cedar --dry-run', { cwd: folder() });
    expect([code, err]).toEqual([
      1,
      'error: 2 faults in the policies. (invalid_argument)\n' +
        '  detail  text:3: no such attribute\n' +
        '  detail  text:7 (2): a policy has no @id\n',
    ]);
  });

  test('show tells what is in force, and what keeps newer policies from it', async () => {
    answers['GET /policies?limit=10'] = answered({
      revision: 'r2',
      active: VERSION,
      problem: 'a.cedar:1: a policy has no @id',
      files: [],
      rules: [
        {
          rule_id: 'zone.freeze',
          origin: 'zone',
          effect: 'forbid',
          file: 'pol_2',
          line: 2,
          code: 'forbidden',
          rank: 100,
          explain: 'Frozen.',
          obligations: '',
        },
      ],
      versions: [VERSION],
      version: null,
    });
    const { code, out } = await adaosctl(zone, 'policy show');
    expect(code).toBe(0);
    expect(out).toBe(
      '  revision  r2\n' +
        '  version   pol_2 by operator:alice, 1 min ago\n' +
        '  problem   a.cedar:1: a policy has no @id\n\n' +
        'RANK  RULE         DOES       SAYS     STANDS IN\n' +
        ' 100  zone.freeze  forbidden  Frozen.  pol_2:2\n\n' +
        'Versions of the zone\n' +
        'VERSION  WHEN       BY              NOTE    BACK TO\n' +
        'pol_2    1 min ago  operator:alice  freeze\n',
    );
  });

  test('explain asks by the kind of id and tells both decisions', async () => {
    const outcome = {
      decision: 'deny',
      code: 'forbidden',
      rules: ['zone.freeze'],
      obligations: '',
      explanation: 'Frozen.',
      operator_explanation: 'because',
    };
    answers['POST /policies/explain'] = answered({
      recorded: {
        ...outcome,
        event_id: 'evt_1',
        decision_id: 'dec_1',
        at: VERSION.created_at,
        actor: 'a',
        tool_id: 't',
        target_id: null,
        policy_revision: 'r1',
        facts: {},
      },
      now: { ...outcome, decision: 'allow', code: null, revision: 'r2', looked_at: [] },
      differs: true,
    });
    const { code, out } = await adaosctl(zone, 'policy explain dec_1');
    expect(code).toBe(0);
    expect(out).toContain('The policies in force decide otherwise than it was decided.');
    await adaosctl(zone, 'policy explain evt_1');
    expect(zone.seen.map(({ body }) => body)).toEqual([{ decision_id: 'dec_1' }, { event_id: 'evt_1' }]);
    expect((await adaosctl(zone, 'policy explain')).code).toBe(2);
  });

  test('replay tells which recorded calls would come out otherwise', async () => {
    answers['POST /policies/replay'] = answered({
      revision: 'r3',
      replayed: 40,
      not_replayable: 2,
      changed: 3,
      complete: false,
      groups: [
        {
          change: 'loses',
          tool_id: 'hub.restart_service',
          target_id: 'hub:h1',
          profile: 'InfraOpsControl',
          before: 'allow',
          after: 'deny: forbidden',
          rules: ['zone.freeze'],
          calls: 3,
          event_ids: ['evt_1'],
        },
      ],
      faults: [],
    });
    const { code, out, err } = await adaosctl(zone, 'policy replay --since 1h --text freeze.cedar', {
      cwd: folder(),
    });
    expect(code).toBe(0);
    expect(out).toContain('40 recorded calls decided again: 3 would come out otherwise\n');
    expect(out).toContain('loses   hub.restart_service  hub:h1');
    expect(err).toBe(
      '2 more were decided by facts that this build can not make again.\nNot all of the range: there are more calls than were replayed.\n',
    );
    expect(zone.seen.at(-1)!.body).toEqual({ since: '2026-10-01T11:00:00.000Z', limit: 1000, text: FREEZE });
  });
});
