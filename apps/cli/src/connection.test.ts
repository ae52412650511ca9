import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adaosctl, emptyFolder } from './fixture/terminal.js';
import { startFixtureZone, TOKEN, type FixtureZone } from './fixture/zone.js';

let zone: FixtureZone;
let other: FixtureZone;
beforeAll(async () => {
  zone = await startFixtureZone();
  other = await startFixtureZone();
});
afterAll(async () => {
  await zone.close();
  await other.close();
});

const LIST = 'targets list';
const NONE =
  'No targets yet. Register one: adaosctl targets register <hub> --environment test --subnet <id>\n';

/** A folder with what is given of `.zone/connection.json` and a token file. */
function folder(connection: unknown, data_dir = '.zone'): string {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, data_dir));
  const text = typeof connection === 'string' ? connection : JSON.stringify(connection);
  writeFileSync(join(cwd, data_dir, 'connection.json'), text);
  writeFileSync(join(cwd, 'token'), `${TOKEN}\n`);
  return cwd;
}

const here = () => folder({ root_url: zone.url, operator_token: TOKEN });
const sentTo = (to: FixtureZone) => to.seen.splice(0).map(({ authorization }) => authorization);

describe('the connection', () => {
  test('from .zone/connection.json of the working folder', async () => {
    expect(await adaosctl(null, LIST, { env: {}, cwd: here() })).toEqual({ code: 0, out: NONE, err: '' });
    expect(sentTo(zone)).toEqual([`Bearer ${TOKEN}`]);
  });

  test('from connection.json in --data-dir', async () => {
    const cwd = folder({ root_url: zone.url, operator_token: TOKEN }, 'elsewhere');
    expect((await adaosctl(null, `${LIST} --data-dir elsewhere`, { env: {}, cwd })).code).toBe(0);
  });

  test('the environment goes before the file', async () => {
    const env = { ADAOS_URL: other.url, ADAOS_TOKEN: 'adm_wrong' };
    sentTo(zone);
    expect((await adaosctl(null, LIST, { env, cwd: here() })).code).toBe(3);
    expect([sentTo(zone), sentTo(other)]).toEqual([[], ['Bearer adm_wrong']]);
  });

  test('flags go before the environment', async () => {
    const env = { ADAOS_URL: other.url, ADAOS_TOKEN: 'adm_wrong' };
    const line = `${LIST} --url ${zone.url} --token-file token`;
    expect((await adaosctl(null, line, { env, cwd: here() })).code).toBe(0);
    expect([sentTo(zone), sentTo(other)]).toEqual([[`Bearer ${TOKEN}`], []]);
  });

  test('a base path of the URL is kept', async () => {
    await adaosctl(null, LIST, { env: { ADAOS_URL: `${zone.url}/zones/a/`, ADAOS_TOKEN: TOKEN } });
    expect(zone.seen.splice(0).map(({ url }) => url)).toEqual(['/zones/a/v1/root/mcp/targets?limit=200']);
  });

  test('a token in ADAOS_TOKEN alone may go to the zone on this machine', async () => {
    expect((await adaosctl(null, LIST, { env: { ADAOS_TOKEN: 'adm_wrong' }, cwd: here() })).code).toBe(3);
    expect(sentTo(zone)).toEqual(['Bearer adm_wrong']);
  });
});

describe('a token is not sent', () => {
  test('of the file to another URL', async () => {
    const { code, err } = await adaosctl(null, `${LIST} --url ${other.url}`, { env: {}, cwd: here() });
    expect(code).toBe(3);
    expect(err).toBe(
      `error: The token of .zone/connection.json does not belong to ${other.url}, so it was not sent there. (unauthenticated)\n` +
        '  next    Give the token of that zone by --token-file.\n',
    );
    expect(sentTo(other)).toEqual([]);
  });

  test('of the environment to another URL', async () => {
    const env = { ADAOS_URL: zone.url, ADAOS_TOKEN: TOKEN };
    expect((await adaosctl(null, `${LIST} --url ${other.url}`, { env })).code).toBe(3);
    expect(sentTo(other)).toEqual([]);
  });

  test.each(['ADAOS_TOKEN', '--token-file'])(
    'of %s to where a file of the working folder says',
    async (by) => {
      const cwd = folder({ root_url: 'http://attacker.invalid', operator_token: 'adm_theirs' });
      const flag = by === '--token-file' ? ' --token-file token' : '';
      const { code, err } = await adaosctl(null, LIST + flag, {
        env: flag ? {} : { ADAOS_TOKEN: TOKEN },
        cwd,
      });
      expect(code).toBe(3);
      expect(err).toContain(
        `The token of ${by} does not belong to http://attacker.invalid, so it was not sent there.`,
      );
    },
  );
});

describe('a bad connection is told', () => {
  test.each([
    ['--url ftp://zone', 2, '--url must start with https:// or http://.'],
    ['--url zone', 2, '--url is not a URL.'],
    ['--url http://user:secret@zone', 2, '--url must not hold a user or password.'],
    ['--url http://zone/?token=secret', 2, '--url must end after the path.'],
    ['--token-file missing', 2, 'The token file can not be read (ENOENT).'],
    ['--data-dir nowhere', 4, 'No zone runs there: nowhere/connection.json does not exist.'],
    ['', 2, 'No zone is named.'],
  ])('%s', async (flags, code, message) => {
    const ran = await adaosctl(null, `${LIST} ${flags}`, { env: {} });
    expect(ran).toMatchObject({ code, out: '', err: expect.stringContaining(`error: ${message}`) });
    expect(ran.err).not.toContain('secret');
  });

  test.each([
    ['two words', 'adm_x y'],
    ['a header of its own', 'adm_x\r\nX-Evil: 1'],
    ['no ASCII', 'adm_é'],
  ])('a token of %s', async (_name, token) => {
    const ran = await adaosctl(zone, LIST, { env: { ADAOS_URL: zone.url, ADAOS_TOKEN: token } });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('error: The value of ADAOS_TOKEN is no token');
    expect(ran.err).not.toContain('adm_');
  });

  test('no token at all', async () => {
    const ran = await adaosctl(null, LIST, { env: { ADAOS_URL: zone.url } });
    expect(ran.code).toBe(3);
    expect(ran.err).toBe(
      `error: There is no token for ${zone.url}. (unauthenticated)\n  next    Set ADAOS_TOKEN, or give --token-file.\n`,
    );
  });

  test('a file that is no JSON', async () => {
    const ran = await adaosctl(null, LIST, { env: {}, cwd: folder('{') });
    expect(ran).toMatchObject({
      code: 2,
      err: expect.stringContaining('error: .zone/connection.json is not JSON.'),
    });
  });
});

test.each([`--token ${TOKEN}`, `--token=${TOKEN}`])(
  'there is no way to give a token as an argument: %s',
  async (flag) => {
    const ran = await adaosctl(zone, `${LIST} ${flag}`);
    expect(ran).toEqual({
      code: 2,
      out: '',
      err:
        "error: Unknown option '--token'.\n" +
        '  next    A token is no argument: set ADAOS_TOKEN, or give --token-file.\n',
    });
  },
);
