import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Ids } from '@adaos/runtime';
import fc from 'fast-check';
import { BEARERS } from '../fixtures/router-double.js';
import { bearer, MODERN_META, startFacade, type FacadeUnderTest, type Header } from '../fixtures/facade.js';

// Two facades that make the same ids, so that an answer can only differ by the way it was served.
const ids: Ids = { next: (prefix) => `${prefix}_fixed`, trace: () => 'e'.repeat(32), bearer: () => '' };
let fast: FacadeUnderTest;
let reference: FacadeUnderTest;

beforeAll(async () => {
  [fast, reference] = await Promise.all([startFacade({ ids }), startFacade({ ids, fast_path: false })]);
  for (const { router } of [fast, reference]) {
    router.answer('hub.restart_service', () => ({
      status: 'denied',
      error: { code: 'environment_forbidden', message: 'No.' },
    }));
    router.answer('hub.get_logs', () => ({ error: { code: 'tool_not_found', message: 'not listed' } }));
    router.answer('hub.get_activity_log', () => ({
      audit_event_id: null,
      redactions: [{ rule: 'secrets', count: 1 }],
      truncated: true,
      result: {},
    }));
  }
});
afterAll(() => Promise.all([fast.stop(), reference.stop()]));

const oneOf = fc.constantFrom;
/** Mostly the plain case: what is odd must meet an otherwise served request. */
const mostly = <T>(plain: fc.Arbitrary<T>, odd: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: plain as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });
const absent = Symbol('absent');

const id = mostly(fc.oneof(fc.string({ maxLength: 8 }), fc.maxSafeInteger()), oneOf(null, 1.5, {}, absent));
const name = mostly(
  oneOf(
    'hub_get_status',
    'hub.get_status',
    'hub_restart_service',
    'hub_get_logs',
    'hub_get_activity_log',
    'adaos_dev.get_foundation',
    'diagnose_hub',
  ),
  fc.oneof(fc.string({ maxLength: 300 }), oneOf(5, null, absent, ['hub_get_status'])),
);
const uri = mostly(
  oneOf('adaos://descriptor/plane_registry', 'adaos://target/hub:demo', 'adaos://event/evt_1'),
  oneOf('adaos://nothing/x', '', 5, absent),
);
const ref = oneOf(
  { type: 'ref/prompt', name: 'diagnose_hub' },
  { type: 'ref/resource', uri: 'adaos://target/{target_id}' },
  5,
);
const args = mostly(
  fc.oneof(
    oneOf<unknown>({}, absent, { service: 'demo' }, { tail: 5 }),
    fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 })),
  ),
  oneOf(null, [], 'x', 7, true),
);
const meta = mostly(
  oneOf<unknown>({}, { progressToken: 'p' }, { traceparent: `00-${'c'.repeat(32)}-dddddddddddddddd-01` }),
  oneOf(
    5,
    null,
    [],
    { progressToken: {} },
    { 'io.modelcontextprotocol/logLevel': 'loud' },
    { 'io.modelcontextprotocol/clientCapabilities': 5 },
  ),
);
const header = (value: fc.Arbitrary<unknown>) => mostly(oneOf('same'), fc.oneof(oneOf(absent), value));

const shape = fc.record({
  era: oneOf('modern' as const, 'legacy' as const),
  method: mostly(
    oneOf(
      'tools/call',
      'tools/list',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'prompts/list',
      'prompts/get',
      'completion/complete',
    ),
    oneOf('tools/cal', 'resources/subscribe', 'constructor', 7, absent),
  ),
  jsonrpc: mostly(oneOf('2.0'), oneOf('1.0', 2, absent)),
  id,
  name,
  uri,
  ref,
  args,
  meta,
  params: mostly(oneOf('object'), oneOf('absent', 'array', 'null')),
  claim: mostly(oneOf('2026-07-28'), oneOf('2025-11-25', '2030-01-01', 'x', 7, absent)),
  version: header(oneOf('2025-03-26', '2025-06-18', '2024-11-05', '2026-07-28', '1999-01-01', 'junk')),
  mcp_method: header(oneOf('tools/list', 'tools/call', 'TOOLS/CALL')),
  mcp_name: header(oneOf('hub_get_status', '=?base64?aHViX2dldF9zdGF0dXM=?=', '=?base64?%?=')),
  extra: mostly(oneOf({}), oneOf({ extra: 1 }, { result: {} }, { error: {} })),
  cursor: mostly(oneOf(absent), oneOf('', 'p2', null)),
  token: mostly(oneOf<string>(BEARERS.good), oneOf(BEARERS.expired, BEARERS.revoked, 'nobody')),
  zone: mostly(oneOf(absent), oneOf('zone-a', 'zone-b')),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

const NAMED: Record<string, 'name' | 'uri'> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const nameOf = (s: Shape) => {
  const member = NAMED[String(s.method)];
  return member ? s[member] : absent;
};

function requestOf(s: Shape): { body: string; headers: Header[] } {
  const present = (fields: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== absent));
  const modern = s.era === 'modern';
  const plain_meta = typeof s.meta === 'object' && s.meta !== null && !Array.isArray(s.meta);
  const envelope = present({ ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': s.claim });
  const _meta = modern && plain_meta ? { ...envelope, ...(s.meta as object) } : s.meta;
  const inner = present({
    name: s.name,
    uri: s.uri,
    ref: s.ref,
    argument: { name: 'service', value: 'w' },
    arguments: s.args,
    cursor: s.cursor,
    _meta,
  });
  const params = { object: inner, absent, array: [inner], null: null }[s.params as 'object'];
  const body = JSON.stringify(
    present({ jsonrpc: s.jsonrpc, id: s.id, method: s.method, params, ...(s.extra as object) }),
  );
  const lines: [string, unknown, unknown][] = [
    ['MCP-Protocol-Version', s.version, modern ? '2026-07-28' : '2025-11-25'],
    ['Mcp-Method', s.mcp_method, modern ? s.method : absent],
    ['Mcp-Name', s.mcp_name, modern ? nameOf(s) : absent],
    ['X-AdaOS-Zone', s.zone, absent],
  ];
  const headers = lines
    .map(([line, value, same]) => [line, value === 'same' ? same : value] as const)
    .filter(
      (pair): pair is [string, string] =>
        typeof pair[1] === 'string' && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(pair[1]),
    );
  return { body, headers: [bearer(s.token as string), ...headers] };
}

test('the fast path answers what the SDK answers, status and body, over 600 requests of both eras', async () => {
  const seen = new Map<string, number>();
  let fast_served = 0;
  await fc.assert(
    fc.asyncProperty(shape, async (s) => {
      const { body, headers } = requestOf(s);
      const identified = fast.router.on('router_identify').length;
      const [a, b] = await Promise.all([fast.mcp(body, headers), reference.mcp(body, headers)]);
      expect({ status: a.status, body: a.text && a.json }).toEqual({
        status: b.status,
        body: b.text && b.json,
      });
      expect(a.headers['www-authenticate']).toBe(b.headers['www-authenticate']);
      expect(a.headers['content-type']).toBe(b.headers['content-type']);
      // Only the SDK's way identifies first.
      if (a.status === 200 && fast.router.on('router_identify').length === identified) fast_served++;
      const kind = `${a.status} ${a.text ? (a.json.error?.code ?? a.json.error ?? 'result') : ''}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }),
    { numRuns: 600, seed: 20260728 },
  );
  // A generator that only makes refusals would prove nothing.
  expect(fast_served).toBeGreaterThan(100);
  for (const kind of [
    '200 result',
    '200 -32602',
    '400 -32600',
    '400 -32602',
    '400 -32020',
    '401 invalid_token',
  ]) {
    expect([kind, (seen.get(kind) ?? 0) > 0]).toEqual([kind, true]);
  }
}, 120_000);
