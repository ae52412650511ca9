import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { TOOL_CONTRACTS } from '@adaos/contracts';
import { startFacade, type FacadeUnderTest } from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const ALL = TOOL_CONTRACTS.map((c) => c.tool_id);
beforeEach(() => facade.router.lists(ALL));

describe('prompts', () => {
  test('are listed with their arguments while their tools are, in both eras', async () => {
    const listed = async () => {
      const modern = (await facade.modern('prompts/list')).json.result;
      const legacy = (await facade.legacy('prompts/list')).json.result;
      expect(modern).toMatchObject({ ...legacy, ttlMs: 5_000, cacheScope: 'private' });
      return legacy.prompts as { name: string; arguments: unknown[] }[];
    };
    expect(await listed()).toContainEqual(
      expect.objectContaining({
        name: 'diagnose_hub',
        arguments: [
          { name: 'service', description: expect.any(String), required: false },
          { name: 'symptom', description: expect.any(String), required: false },
        ],
      }),
    );
    expect(facade.router.on('router_listed').at(-1)).toMatchObject({ purpose: 'prompt.list' });
    facade.router.lists([]);
    expect(await listed()).toEqual([]);
    // By itself, once the tools exist.
    facade.router.lists(['hub.get_status', 'hub.deploy_ref', 'hub.rollback_last_test_deploy']);
    expect((await listed()).map((p) => p.name)).toEqual(['deploy_and_verify']);
  });

  test('the text names the tools of this lease and holds the arguments', async () => {
    facade.router.lists(['hub.get_status', 'hub.get_logs']);
    const { result } = (
      await facade.modern('prompts/get', { name: 'diagnose_hub', arguments: { service: 'web' } })
    ).json;
    expect(result).toMatchObject({ resultType: 'complete', messages: [{ role: 'user' }] });
    const { text } = result.messages[0].content;
    expect(text).toContain('"web"');
    expect(text).toContain('hub_get_logs');
    expect(text).not.toContain('hub_restart');
  });

  test.each([
    ['nope', {}, 'Unknown prompt.'],
    ['hunt_a_leak', {}, 'Unknown prompt.'],
    ['diagnose_hub', { service: 5 }, '/params/arguments/service must be a text of at most 1000 characters.'],
    ['diagnose_hub', { x: 'y' }, '/params/arguments/x is no argument of this prompt.'],
    ['diagnose_hub', [], 'arguments must be an object.'],
    ['deploy_and_verify', {}, '/params/arguments/ref is required.'],
  ])('%s with %j is refused: %s', async (name, args, message) => {
    facade.router.lists([
      'hub.get_status',
      'hub.get_logs',
      'hub.deploy_ref',
      'hub.rollback_last_test_deploy',
    ]);
    for (const era of ['modern', 'legacy'] as const) {
      const got = await facade[era]('prompts/get', { name, arguments: args });
      expect(got.json.error).toMatchObject({ code: -32602, message });
    }
    expect(facade.router.on('router_refuse').at(-1).message).toBe(message);
  });
});

describe('completion', () => {
  const complete = async (ref: object, name: string, value: string) =>
    (await facade.modern('completion/complete', { ref, argument: { name, value } })).json;
  const prompt = { type: 'ref/prompt', name: 'diagnose_hub' };
  const template = (kind: string, variable: string) => ({
    type: 'ref/resource',
    uri: `adaos://${kind}/{${variable}}`,
  });

  test('answers allowed and reported services of the caller’s own target, once, by prefix', async () => {
    facade.router.answer('operations.get_managed_target', () => ({
      result: {
        target: {
          policy: { allowed_services: ['web', 'worker'] },
          reported: { services: [{ name: 'web' }, { name: 'Wiki' }, { name: 'db' }] },
        },
      },
    }));
    expect((await complete(prompt, 'service', 'w')).result).toMatchObject({
      completion: { values: ['Wiki', 'web', 'worker'], total: 3, hasMore: false },
      resultType: 'complete',
    });
    expect(facade.router.on('router_call').at(-1)).toMatchObject({
      name: 'operations.get_managed_target',
      arguments: {},
    });
  });

  test('gives at most 100 values and says how many there are', async () => {
    const contracts = Array.from({ length: 130 }, (_, i) => ({ tool_id: `t.${String(i).padStart(3, '0')}` }));
    facade.router.answer('adaos_dev.list_contracts', () => ({ result: { contracts } }));
    const { completion } = (await complete(template('contract', 'tool_id'), 'tool_id', '')).result;
    expect([completion.values.length, completion.total, completion.hasMore]).toEqual([100, 130, true]);
    expect(completion.values[0]).toBe('t.000');
  });

  test('what was only looked at in part has no total', async () => {
    facade.router.answer('operations.list_recent_events', () => ({
      result: { events: [{ event_id: 'evt_1' }], next_cursor: 'more' },
    }));
    const { completion } = (await complete(template('event', 'event_id'), 'event_id', 'evt_')).result;
    expect(completion).toEqual({ values: ['evt_1'], hasMore: true });
  });

  test('nothing is offered where the lease lacks the tool, or the target has no such list', async () => {
    facade.router.answer('operations.get_managed_target', () => ({ result: { target: {} } }));
    facade.router.lists(['hub.get_status', 'hub.deploy_ref', 'hub.rollback_last_test_deploy']);
    const deploy = { type: 'ref/prompt', name: 'deploy_and_verify' };
    const none = { values: [], total: 0, hasMore: false };
    const calls = facade.router.on('router_call').length;
    expect((await complete(deploy, 'ref', '')).result.completion).toEqual(none);
    expect(facade.router.on('router_call').length).toBe(calls);
    facade.router.lists(ALL);
    expect((await complete(prompt, 'service', '')).result.completion).toEqual(none);
  });

  test.each([
    [{ type: 'ref/prompt', name: 'nope' }, 'service'],
    [prompt, 'nope'],
    [template('plan', 'plan_id'), 'plan_id'],
    [{ type: 'ref/other' }, 'x'],
  ])('%j has no argument %s', async (ref, name) =>
    expect((await complete(ref, name, '')).error).toMatchObject({
      code: -32602,
      message: 'There is no such argument.',
    }),
  );

  test('a malformed argument is refused', async () => {
    const got = await facade.legacy('completion/complete', { ref: prompt, argument: { name: 5 } });
    expect(got.json.error).toMatchObject({ code: -32602 });
  });
});
