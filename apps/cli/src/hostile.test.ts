import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { StoredEvent } from '@adaos/contracts';
import { event, lease, target } from './fixture/records.js';
import { adaosctl } from './fixture/terminal.js';
import { CONTRACTS } from './fixture/tools.js';
import { answered, refusal, startFixtureZone, type FixtureZone } from './fixture/zone.js';

const EVIL = '\x1b[2J\x1b]0;owned\x07\x9b31m\r\nfake line\u202e\u200b';
const ESCAPED = '\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\r\\nfake line\\u{202e}\\u{200b}';
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]/;

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone()));
afterEach(() => zone.close());

/** Every string of a value made hostile, save those a command must read. */
function poisoned<T>(value: T, keep: readonly string[]): T {
  const poison = (entry: unknown, name: string): unknown => {
    if (typeof entry === 'string') return keep.includes(name) ? entry : entry + EVIL;
    if (Array.isArray(entry)) return entry.map((item) => poison(item, name));
    if (typeof entry !== 'object' || entry === null) return entry;
    return Object.fromEntries(Object.entries(entry).map(([key, member]) => [key, poison(member, key)]));
  };
  return poison(value, '') as T;
}

const bad_event = () => poisoned<StoredEvent>(event(1), ['event_id', 'phase']);

test.each([
  ['targets list', () => (zone.targets = [poisoned(target('demo'), ['target_id'])])],
  ['targets show demo', () => (zone.targets = [poisoned(target('demo'), ['target_id'])])],
  ['lease list', () => (zone.sessions = [poisoned(lease(1), [])])],
  ['tools list', () => (zone.intercept = () => answered({ contracts: poisoned(CONTRACTS, []) }))],
  [
    'tools show hub.get_logs',
    () => (zone.intercept = () => answered({ contract: poisoned(CONTRACTS[2]!, ['type', 'required']) })),
  ],
  [
    'tools call x',
    () =>
      (zone.call = () =>
        poisoned({ result: { [`key${EVIL}`]: 'a', lines: ['b c'], rows: [{ d: 'e' }] } }, [])),
  ],
  [
    'tools call x',
    () =>
      (zone.call = () => ({
        ok: false,
        error: { code: `c${EVIL}`, message: `m${EVIL}`, details: { known: [EVIL] } },
      })),
  ],
  ['events tail', () => (zone.events = [bad_event()])],
  ['events show evt_01K6FZ8Q000000000000000001', () => (zone.events = [bad_event()])],
  ['targets list', () => (zone.intercept = () => refusal('forbidden', { [EVIL]: EVIL }, EVIL))],
  [
    'zone status',
    () =>
      (zone.intercept = ({ url }) => (url.startsWith('/v1') ? refusal('forbidden', {}, EVIL) : undefined)),
  ],
  [
    'lease issue demo --profile InfraOpsRead',
    () =>
      (zone.intercept = ({ method }) =>
        method === 'POST'
          ? answered({ session: poisoned(lease(1), ['session_id']), bearer: EVIL })
          : undefined),
  ],
])('%s shows what a hostile zone says, escaped', async (line, arrange) => {
  arrange();
  for (const columns of [80, undefined]) {
    const { out, err } = await adaosctl(zone, line, { columns });
    expect(out + err).not.toMatch(CONTROL);
    if (!columns && line !== 'zone status') expect(out + err).toContain(ESCAPED);
  }
  const json = await adaosctl(zone, `${line} --json`);
  expect(json.out + json.err).not.toMatch(CONTROL);
  if (!line.startsWith('events tail')) expect(() => JSON.parse(json.out)).not.toThrow();
});

test('colour is only where it is wanted', async () => {
  zone.targets = [target('demo')];
  const env = { ADAOS_URL: zone.url, ADAOS_TOKEN: 'adm_fixture-operator-token' };
  const colours = async (line: string, given: Record<string, string>, columns?: number) =>
    (await adaosctl(zone, line, { env: { ...env, ...given }, columns })).out.includes('\x1b[');
  expect(await colours('targets list', {}, 80)).toBe(true);
  expect(await colours('targets list', {})).toBe(false);
  expect(await colours('targets list', { NO_COLOR: '1' }, 80)).toBe(false);
  expect(await colours('targets list', { NO_COLOR: '' }, 80)).toBe(true);
  expect(await colours('targets list', { TERM: 'dumb' }, 80)).toBe(false);
  expect(await colours('targets list --no-color', {}, 80)).toBe(false);
  expect(await colours('targets list --json', {}, 80)).toBe(false);
});
