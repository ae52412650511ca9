import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { TOOL_CONTRACTS, type ErrorCode } from '@adaos/contracts';
import { startFacade, type FacadeUnderTest } from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const ALL = TOOL_CONTRACTS.map((c) => c.tool_id);
const HINTS = { ttlMs: 5_000, cacheScope: 'private', resultType: 'complete' };
const HEAD = { descriptor_id: 'plane_registry', title: 'Planes', summary: 'All planes.' };

beforeEach(() => {
  facade.router.lists(ALL);
  facade.router.answer('adaos_dev.list_descriptors', () => ({ result: { descriptors: [HEAD] } }));
  facade.router.answer('adaos_dev.get_descriptor', () => ({
    result: { descriptor: { ...HEAD, content_hash: 'abc', payload: { entries: ['x'] } } },
  }));
  facade.router.answer('operations.list_managed_targets', () => ({
    result: { targets: [{ target_id: 'hub:demo', title: 'Demo' }], next_cursor: null },
  }));
  facade.router.answer('operations.list_recent_events', () => ({
    result: { events: [], next_cursor: null },
  }));
});

/** The same request in both eras. */
const both = async (method: string, params: Record<string, unknown> = {}) => {
  const modern = await facade.modern(method, params);
  const legacy = await facade.legacy(method, params);
  expect([modern.status, legacy.status]).toEqual([200, 200]);
  return { modern: modern.json, legacy: legacy.json };
};
const calls = (name: string) => facade.router.on('router_call').filter((c) => c.name === name).length;

describe('resources/list', () => {
  const RESOURCES = [
    {
      uri: 'adaos://descriptor/plane_registry',
      name: 'descriptor/plane_registry',
      title: 'Planes',
      description: 'All planes.',
      mimeType: 'application/json',
    },
    {
      uri: 'adaos://target/hub%3Ademo',
      name: 'target/hub:demo',
      title: 'Demo',
      mimeType: 'application/json',
    },
  ];

  test('is what the tools behind it list, in both eras; leaves its own kind of event', async () => {
    const { modern, legacy } = await both('resources/list');
    expect(modern.result).toMatchObject({ resources: RESOURCES, ...HINTS });
    expect(legacy.result).toEqual({ resources: RESOURCES });
    expect(facade.router.on('router_listed').at(-1)).toMatchObject({ purpose: 'resource.list' });
  });

  test('a kind whose tool the lease lacks is not asked for', async () => {
    facade.router.lists(['adaos_dev.get_descriptor', 'operations.get_managed_target']);
    const asked = calls('adaos_dev.list_descriptors');
    const { legacy } = await both('resources/list');
    expect([legacy.result.resources, calls('adaos_dev.list_descriptors')]).toEqual([[], asked]);
  });

  test('a tool with pages makes pages; only a cursor of ours is taken', async () => {
    const pages: Record<string, object> = {
      first: { targets: [{ target_id: 'hub:a', title: 'A' }], next_cursor: 'second' },
      second: { targets: [{ target_id: 'hub:b', title: 'B' }], next_cursor: null },
    };
    facade.router.answer('operations.list_managed_targets', ({ arguments: args }) => ({
      result: pages[(args as { cursor?: string }).cursor ?? 'first'] as Record<string, unknown>,
    }));
    const one = (await facade.modern('resources/list')).json.result;
    expect(one.resources.map((r: { name: string }) => r.name)).toEqual([
      'descriptor/plane_registry',
      'target/hub:a',
    ]);
    const two = (await facade.modern('resources/list', { cursor: one.nextCursor })).json.result;
    expect(two.resources.map((r: { name: string }) => r.name)).toEqual(['target/hub:b']);
    expect(two).toMatchObject({ cacheScope: 'private' });
    expect(two.nextCursor).toBeUndefined();
    for (const cursor of ['x', 5, Buffer.from('[0]').toString('base64url')])
      expect((await facade.modern('resources/list', { cursor })).json.error.code).toBe(-32602);
  });

  test('limits and faults are told, refusals of policy leave the kind out', async () => {
    facade.router.answer('adaos_dev.list_descriptors', () => ({
      error: { code: 'rate_limited', message: 'Slower.' },
    }));
    expect((await facade.modern('resources/list')).json.error).toMatchObject({ code: 1024 });
    facade.router.answer('adaos_dev.list_descriptors', () => ({ error: { code: 'forbidden', message: '' } }));
    const { resources } = (await facade.modern('resources/list')).json.result;
    expect(resources.map((r: { name: string }) => r.name)).toEqual(['target/hub:demo']);
  });
});

test('resources/templates/list shows the kinds the lease can read', async () => {
  facade.router.lists(['operations.list_recent_events']);
  const { modern, legacy } = await both('resources/templates/list');
  expect(modern.result).toMatchObject(HINTS);
  expect(legacy.result.resourceTemplates).toEqual([
    {
      uriTemplate: 'adaos://event/{event_id}',
      name: 'event',
      title: 'Operational event',
      description: expect.any(String),
      mimeType: 'application/json',
    },
  ]);
});

test('a run is a resource of those who may read runs', async () => {
  facade.router.lists(['operations.get_run']);
  const { legacy } = await both('resources/templates/list');
  expect(legacy.result.resourceTemplates.map((t: { uriTemplate: string }) => t.uriTemplate)).toEqual([
    'adaos://run/{run_id}',
  ]);
  facade.router.answer('operations.get_run', () => ({
    result: { run: { run_id: 'run_1', status: 'working' }, status: null, error: null },
  }));
  const { contents } = (await facade.modern('resources/read', { uri: 'adaos://run/run_1' })).json.result;
  expect(JSON.parse(contents[0].text)).toEqual({ run_id: 'run_1', status: 'working' });
  expect(facade.router.on('router_call').at(-1)).toMatchObject({
    name: 'operations.get_run',
    arguments: { run_id: 'run_1' },
  });
});

describe('resources/read', () => {
  test('is a governed call of the tool behind the URI', async () => {
    const uri = 'adaos://descriptor/plane_registry';
    const { modern, legacy } = await both('resources/read', { uri });
    const text = JSON.stringify({ ...HEAD, content_hash: 'abc', payload: { entries: ['x'] } });
    expect(legacy.result).toEqual({ contents: [{ uri, mimeType: 'application/json', text }] });
    expect(modern.result).toMatchObject({ contents: [{ uri, text }], ...HINTS });
    expect(facade.router.on('router_call').at(-1)).toMatchObject({
      name: 'adaos_dev.get_descriptor',
      arguments: { descriptor_id: 'plane_registry' },
    });
  });

  test.each<[string, string, ErrorCode | null]>([
    ['of no kind', 'adaos://nothing/x', null],
    ['without a scheme of ours', 'file:///etc/passwd', null],
    ['that is not there', 'adaos://event/evt_none', null],
    ['another tenant’s', 'adaos://target/hub:other', 'target_forbidden'],
    ['unknown', 'adaos://target/hub:none', 'target_not_found'],
    ['whose tool is not granted', 'adaos://target/hub:demo', 'tool_not_found'],
    ['of a shape the tool refuses', 'adaos://target/demo', 'invalid_argument'],
  ])('a URI %s has one answer, and it names nothing but the URI', async (_, uri, code) => {
    if (code)
      facade.router.answer('operations.get_managed_target', () => ({ error: { code, message: code } }));
    const { modern, legacy } = await both('resources/read', { uri });
    expect(modern.error).toEqual({ code: -32602, message: 'Resource not found', data: { uri } });
    expect(legacy.error).toEqual(modern.error);
  });

  test('a limit is told as a limit, a dead bearer as a 401', async () => {
    facade.router.answer('operations.get_managed_target', () => ({
      error: { code: 'rate_limited', message: 'Slower.' },
    }));
    const got = await facade.modern('resources/read', { uri: 'adaos://target/hub:demo' });
    expect(got.json.error).toMatchObject({ code: 1024, data: { code: 'rate_limited' } });
    facade.router.answer('operations.get_managed_target', () => ({
      error: { code: 'lease_revoked', message: 'Gone.' },
    }));
    expect((await facade.modern('resources/read', { uri: 'adaos://target/hub:demo' })).status).toBe(401);
  });

  test('a URI that is no text is refused by path', async () => {
    const got = await facade.legacy('resources/read', { uri: 5 });
    expect(got.json.error).toMatchObject({ code: -32602, data: { details: { path: '/params/uri' } } });
  });

  test('Mcp-Name must repeat the URI', async () => {
    const uri = 'adaos://descriptor/plane_registry';
    const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
    const wrong = await facade.modern('resources/read', { uri }, 1, [['Mcp-Name', 'adaos://descriptor/x']]);
    expect([wrong.status, wrong.json.error.code]).toEqual([400, -32020]);
    expect((await facade.mcp(body)).status).toBe(200);
  });
});

test('legacy subscribe promises nothing, and tells whether the resource is of a kind the lease reads', async () => {
  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    expect((await facade.legacy(method, { uri: 'adaos://event/evt_1' })).json.result).toEqual({});
    expect((await facade.legacy(method, { uri: 'adaos://x/y' })).json.error.code).toBe(-32602);
  }
});
