import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startFacade, type FacadeUnderTest } from './fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const READ = '"name":"hub_get_status"';
const WRITE = '"name":"hub_restart_service"';
const call = (params: string, more = '') =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}${more}}`;

/** Bodies that a parser which ignores case, keeps the first or keeps the last key reads as another call than we do. */
const ADVISORIES: [string, string, string][] = [
  ['Teleport #66989', 'Name beside name', call(`${READ},"Name":"hub_restart_service"`)],
  ['Teleport #66989', 'Name before name', call(`"Name":"hub_restart_service",${READ}`)],
  ['Teleport #66989', 'NAME alone', call(`"NAME":"hub_restart_service"`)],
  ['Teleport #67262', 'Params beside params', call(READ, `,"Params":{${WRITE}}`)],
  ['Teleport #67262', 'Method beside method', call(WRITE, ',"Method":"tools/list"')],
  ['Teleport #67262', 'Method alone', call(READ).replace('"method"', '"Method"')],
  ['Teleport #67262', 'Jsonrpc', call(READ, ',"JSONRPC":"1.0"')],
  ['Teleport #67262', 'ID beside id', call(READ, ',"ID":2')],
  ['Teleport #68500', 'name twice', call(`${READ},${WRITE}`)],
  [
    'Teleport #68500',
    'an escaped name beside a plain one',
    call(`${READ},"\\u006eame":"hub_restart_service"`),
  ],
  ['Teleport #68500', 'escaped params beside plain ones', call(READ, `,"p\\u0061rams":{${WRITE}}`)],
  ['Teleport #68500', 'an escaped upper case', call(`${READ},"\\u004eame":"hub_restart_service"`)],
  [
    'Teleport #68500',
    'Arguments beside arguments',
    call(`${READ},"arguments":{},"Arguments":{"service":"web"}`),
  ],
  ['Teleport #68500', 'full-width letters', call(`${READ},"ｎａｍｅ":"hub_restart_service"`)],
  ['Teleport #68500', 'the long s', call(READ, `,"paramſ":{${WRITE}}`)],
  ['Teleport #68500', 'a trailing space', call(`${READ},"name ":"hub_restart_service"`)],
  ['agentgateway', 'Dry_Run', call(`${WRITE},"Dry_Run":true`)],
  ['agentgateway', '_Meta', call(`${READ},"_Meta":{"dry_run":false}`)],
];

describe.each([true, false])('a call with two readings, fast path %s', (fast_path) => {
  let one: FacadeUnderTest;
  beforeAll(async () => {
    one = await startFacade({ fast_path });
  });
  afterAll(() => one.stop());

  test.each(ADVISORIES)('%s: %s is refused with an event and reaches nobody', async (_, __, body) => {
    const got = await one.mcp(body);
    expect([got.status, got.json.error.code]).toEqual([400, -32600]);
    expect(one.router.on('router_refuse').at(-1).details.rule).toMatch(/^(spelling|duplicate_key)$/);
    expect(one.router.on('router_call')).toEqual([]);
  });

  test('an escaped spelling of the right name is that name, once', async () => {
    await one.mcp(call('"n\\u0061me":"hub_get_status"'));
    expect(one.router.on('router_call').map(({ name }) => name)).toEqual(['hub_get_status']);
  });
});

test.each([
  ['tool_id twice', '{"tool_id":"hub.get_status","tool_id":"hub.restart_service"}'],
  ['Tool_Id beside tool_id', '{"tool_id":"hub.get_status","Tool_Id":"hub.restart_service"}'],
  ['an escaped tool_id', '{"tool_id":"hub.get_status","\\u0074ool_id":"hub.restart_service"}'],
  ['Arguments', '{"tool_id":"hub.get_status","Arguments":{}}'],
  ['Dry_run', '{"tool_id":"hub.restart_service","Dry_run":true}'],
])('REST: %s is refused and reaches nobody', async (_, body) => {
  const got = await facade.http('/v1/root/mcp/call', {
    method: 'POST',
    headers: [['Content-Type', 'application/json']],
    body,
  });
  expect(got.status).toBe(400);
  expect(facade.router.on('router_call')).toEqual([]);
});

test.each([
  ['a name in another case', { name: 'HUB_GET_STATUS' }, 'HUB_GET_STATUS'],
  ['a name with full-width letters', { name: 'ｈub_get_status' }, 'ｈub_get_status'],
  ['a name with a space', { name: 'hub_get_status ' }, 'hub_get_status '],
])('%s is passed on as sent, to be judged as what it is', async (_, params, name) => {
  await facade.legacy('tools/call', params);
  expect(facade.router.on('router_call').at(-1).name).toBe(name);
});
