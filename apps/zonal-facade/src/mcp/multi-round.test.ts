import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { CallRequest, Envelope } from '@adaos/contracts';
import { BEARERS } from '../fixtures/router-double.js';
import { bearer, MODERN_META, startFacade, type FacadeUnderTest, type Header } from '../fixtures/facade.js';

const FORM = { elicitation: {} };
const accept = (content: object) => ({ action: 'accept', content });

describe.each([true, false])('calls of several rounds, fast path %s', (fast_path) => {
  let facade: FacadeUnderTest;
  let asked: CallRequest[] = [];
  beforeAll(async () => {
    facade = await startFacade({
      fast_path,
      config: { CONSOLE_DIR: '/nowhere', PUBLIC_URL: 'https://root.example' },
    });
  });
  afterAll(() => facade.stop());
  beforeEach(() => void (asked = []));

  const answer = (tool_id: string, reply: (request: CallRequest) => Partial<Envelope>) =>
    facade.router.answer(tool_id, (request) => {
      asked.push(request);
      return reply(request);
    });
  const call = (
    clientCapabilities: object,
    params: Record<string, unknown> = {},
    { name = 'hub_restart_service', headers = [] as readonly Header[] } = {},
  ) => {
    const _meta = { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': clientCapabilities };
    return facade.modern('tools/call', { name, _meta, ...params }, 3, headers);
  };
  const approvalOf = (request: CallRequest): Partial<Envelope> =>
    request.approval_id === 'apr_1' && asked.length > 2
      ? { result: { done: true } }
      : {
          status: 'approval_required',
          error: { code: 'approval_required', message: 'Ask.', details: { approval_id: 'apr_1' } },
          meta: { target_id: 'hub:demo' },
        };

  describe('missing arguments', () => {
    beforeAll(() => answer('hub.restart_service', ({ arguments: args }) => ({ result: { echoed: args } })));

    test('become a form of the tool’s own schema; the retry runs what was filled in', async () => {
      const first = (await call(FORM, { arguments: { request_id: 'r1' } })).json.result;
      expect(first).toMatchObject({
        resultType: 'input_required',
        inputRequests: {
          arguments: {
            method: 'elicitation/create',
            params: {
              mode: 'form',
              requestedSchema: { properties: { service: { type: 'string' } }, required: ['service'] },
            },
          },
        },
        _meta: { 'io.adaos/tool_id': 'hub.restart_service', 'io.modelcontextprotocol/serverInfo': {} },
      });
      expect(first).not.toHaveProperty('content');
      expect(asked).toEqual([]);
      const second = await call(FORM, {
        arguments: { request_id: 'r1' },
        requestState: first.requestState,
        inputResponses: {
          arguments: accept({ service: 'web', dry_run: true, target_id: 'hub:other' }),
          other: accept({}),
        },
      });
      expect(second.json.result.structuredContent).toEqual({ echoed: { request_id: 'r1', service: 'web' } });
      expect(second.json.result.resultType).toBe('complete');
    });

    test('are asked for again when the answer is missing or of the wrong kind', async () => {
      const { requestState } = (await call(FORM)).json.result;
      for (const inputResponses of [
        undefined,
        {},
        { wrong: accept({}) },
        { arguments: 5 },
        { arguments: accept({}) },
      ]) {
        const { result } = (await call(FORM, { requestState, inputResponses })).json;
        expect(result.inputRequests.arguments.method).toBe('elicitation/create');
      }
    });

    test('a user who declines ends it, on record, and nothing runs', async () => {
      const { requestState } = (await call(FORM)).json.result;
      for (const action of ['decline', 'cancel']) {
        const { result } = (await call(FORM, { requestState, inputResponses: { arguments: { action } } }))
          .json;
        expect(result.isError).toBe(true);
        expect(JSON.parse(result.content[0].text).code).toBe('cancelled');
        expect(facade.router.on('router_refuse').at(-1)).toMatchObject({
          code: 'cancelled',
          details: { reason: 'declined' },
        });
      }
      expect(asked).toEqual([]);
    });

    test.each([
      ['no capability', {}],
      ['only links', { elicitation: { url: {} } }],
      ['another capability', { sampling: {} }],
    ])('a client with %s gets today’s answer', async (_, capabilities) => {
      const { result } = (await call(capabilities)).json;
      expect(JSON.parse(result.content[0].text)).toMatchObject({
        code: 'invalid_argument',
        details: { rule: 'required' },
      });
    });

    test('the older era gets today’s answer, whatever it says', async () => {
      const _meta = { 'io.modelcontextprotocol/clientCapabilities': FORM };
      const { result } = (
        await facade.legacy('tools/call', { name: 'hub_restart_service', requestState: 'x' })
      ).json;
      expect(result.isError).toBe(true);
      const with_claim = await facade.mcp({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'hub_restart_service', _meta },
      });
      expect(with_claim.text).not.toContain('input_required');
    });
  });

  describe('requestState', () => {
    let sealed = '';
    beforeAll(async () => {
      answer('hub.restart_service', ({ arguments: args }) => ({ result: { echoed: args } }));
      sealed = (await call(FORM, { arguments: { request_id: 'r2' } })).json.result.requestState;
    });
    const given = {
      arguments: { request_id: 'r2' },
      inputResponses: { arguments: accept({ service: 'web' }) },
    };

    test.each<[string, () => Promise<{ status: number; json: any }>]>([
      ['tampered with', () => call(FORM, { ...given, requestState: `${sealed}-TAMPERED` })],
      ['no text', () => call(FORM, { ...given, requestState: { a: 1 } })],
      [
        'of another bearer',
        () => call(FORM, { ...given, requestState: sealed }, { headers: [bearer(BEARERS.other)] }),
      ],
      [
        'of other arguments',
        () => call(FORM, { ...given, requestState: sealed, arguments: { request_id: 'r3' } }),
      ],
      ['of another tool', () => call(FORM, { ...given, requestState: sealed }, { name: 'hub_get_status' })],
    ])('%s is refused by name, on record, and nothing runs', async (_, send) => {
      const before = facade.router.on('router_refuse').length;
      const got = await send();
      expect([got.status, got.json.error.code]).toEqual([200, -32602]);
      expect(got.json.error.message).toContain('requestState');
      expect(got.json.error.data.audit_event_id).toMatch(/^evt_/);
      expect(facade.router.on('router_refuse')).toHaveLength(before + 1);
      expect(asked).toEqual([]);
    });

    test('with a bad bearer the bearer is what is wrong', async () => {
      expect((await call(FORM, { requestState: 'x' }, { headers: [bearer('nobody')] })).status).toBe(401);
    });

    test('answers that are no object are refused', async () => {
      for (const inputResponses of [null, [], 'x', 5]) {
        const got = await call(FORM, { arguments: { service: 'web' }, inputResponses });
        expect([got.json.error.code, asked.length]).toEqual([-32602, 0]);
      }
    });
  });

  describe('approvals', () => {
    beforeEach(() => answer('hub.restart_service', approvalOf));
    const args = { arguments: { service: 'web' } };

    test('become a link where the client opens links, and the retry carries the approval', async () => {
      const capabilities = { elicitation: { url: {}, form: {} } };
      const first = (await call(capabilities, args)).json.result;
      expect(first.inputRequests.approval).toEqual({
        method: 'elicitation/create',
        params: {
          mode: 'url',
          message: 'hub.restart_service on hub:demo waits for an approver (apr_1).',
          url: 'https://root.example/console/approvals/apr_1',
        },
      });
      // Opening the page is no approval: it is asked for again until there is one.
      const opened = { inputResponses: { approval: { action: 'accept' } } };
      const again = (await call(capabilities, { ...args, ...opened, requestState: first.requestState })).json
        .result;
      expect(again.inputRequests.approval.params.message).toMatch(/^Not approved yet/);
      const done = (await call(capabilities, { ...args, ...opened, requestState: again.requestState })).json
        .result;
      expect(done.structuredContent).toEqual({ done: true });
      expect(asked.map((request) => request.approval_id)).toEqual([undefined, 'apr_1', 'apr_1']);
    });

    test('become a form where it does not; a no ends it', async () => {
      const first = (await call(FORM, args)).json.result;
      const { params } = first.inputRequests.approval;
      expect(params.requestedSchema.required).toEqual(['approved']);
      expect(params.requestedSchema.properties.approved.description).toBe(
        'https://root.example/console/approvals/apr_1',
      );
      const no = {
        inputResponses: { approval: accept({ approved: false }) },
        requestState: first.requestState,
      };
      expect((await call(FORM, { ...args, ...no })).json.result.isError).toBe(true);
      expect(asked).toHaveLength(1);
      const yes = {
        inputResponses: { approval: accept({ approved: true }) },
        requestState: first.requestState,
      };
      expect((await call(FORM, { ...args, ...yes })).json.result.inputRequests.approval).toBeDefined();
      expect(asked.at(-1)?.approval_id).toBe('apr_1');
    });

    test('a form for arguments and an approval follow each other; the state keeps what was given', async () => {
      const first = (await call(FORM)).json.result;
      const filled = {
        inputResponses: { arguments: accept({ service: 'web' }) },
        requestState: first.requestState,
      };
      const second = (await call(FORM, filled)).json.result;
      const approved = {
        inputResponses: { approval: accept({ approved: true }) },
        requestState: second.requestState,
      };
      await call(FORM, approved);
      expect(asked.at(-1)).toMatchObject({ approval_id: 'apr_1', arguments: { service: 'web' } });
    });

    test('a client that can’t be asked gets today’s answer', async () => {
      const { result } = (await call({}, args)).json;
      expect(JSON.parse(result.content[0].text)).toMatchObject({
        code: 'approval_required',
        details: { approval_id: 'apr_1' },
      });
    });
  });

  describe('questions of a tool', () => {
    const requests = {
      who: { method: 'elicitation/create' as const, params: { message: 'Who?', requestedSchema: {} } },
    };

    test('go out as they are, its state sealed; answers and state come back to it', async () => {
      answer('hub.get_status', ({ input }) =>
        input?.state === 'step-1'
          ? { result: { hello: input.responses } }
          : { ok: false, status: 'input_required', input: { requests, state: 'step-1' } },
      );
      const first = (await call({ ...FORM, roots: {} }, {}, { name: 'hub_get_status' })).json.result;
      expect(first).toMatchObject({ resultType: 'input_required', inputRequests: requests });
      expect(first.requestState).not.toContain('step-1');
      expect(asked[0]!.input).toEqual({ accepts: ['elicitation.form', 'roots'], responses: {}, state: null });
      const inputResponses = { who: accept({ name: 'Ada' }), wrapped: { method: 'x', result: {} }, odd: 5 };
      const second = await call(
        FORM,
        { requestState: first.requestState, inputResponses },
        { name: 'hub_get_status' },
      );
      expect(second.json.result.structuredContent).toEqual({ hello: { who: accept({ name: 'Ada' }) } });
    });

    test('a capability that is missing is told in the revision’s own way', async () => {
      answer('hub.get_status', () => ({
        error: {
          code: 'input_required',
          message: 'no',
          details: { required_capabilities: { sampling: {} } },
        },
      }));
      const got = await call({}, {}, { name: 'hub_get_status' });
      expect([got.status, got.json.error.code]).toEqual([400, -32021]);
      expect(got.json.error.data.requiredCapabilities).toEqual({ sampling: {} });
      const legacy = await facade.legacy('tools/call', { name: 'hub_get_status' });
      expect(JSON.parse(legacy.json.result.content[0].text).code).toBe('input_required');
    });
  });
});
