import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Envelope, RunView } from '@adaos/contracts';
import type { Ids } from '@adaos/runtime';
import fc from 'fast-check';
import { JSON_TYPE, startFacade, type FacadeUnderTest } from '../fixtures/facade.js';
import { send, type Got } from '../fixtures/http.js';
import { requestOf, shape } from '../fixtures/requests.js';

/** A few hundred in everybody's test run; CI asks for 50,000 (DIFFERENTIAL_RUNS). */
const RUNS = Number(process.env['DIFFERENTIAL_RUNS'] ?? 600);
/** Another seed is another set of requests; a failure names the one it had. */
const SEED = Number(process.env['DIFFERENTIAL_SEED'] ?? 20_260_728);
/** Requests made, sent and compared together. */
const BATCH = 16;

let made = 0;
const ids: Ids = {
  next: (prefix) => `${prefix}_${++made}_made`,
  trace: () => 'e'.repeat(32),
  bearer: () => '',
};
const agent = new Agent({ keepAlive: true, maxSockets: BATCH });
let fast: FacadeUnderTest;
let reference: FacadeUnderTest;

const run: RunView['run'] = {
  run_id: 'run_1',
  status: 'working',
  tool_id: 'hub.restart_service',
  target_id: 'hub:demo',
  subnet_id: null,
  event_id: 'evt_1',
  progress: { progress: 1 },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T01:00:00.000Z',
};

beforeAll(async () => {
  [fast, reference] = await Promise.all([startFacade({ ids }), startFacade({ ids, fast_path: false })]);
  for (const { router } of [fast, reference]) {
    router.answer('hub.restart_service', () => ({
      status: 'denied',
      error: { code: 'approval_required', message: 'No.', details: { approval_id: 'apr_1' } },
    }));
    router.answer('hub.get_logs', () => ({ error: { code: 'tool_not_found', message: 'not listed' } }));
    router.answer('hub.get_activity_log', () => ({
      audit_event_id: null,
      redactions: [{ rule: 'secrets', count: 1 }],
      truncated: true,
      result: {},
    }));
    router.answer('hub.run_healthchecks', async ({ call_id, progress }) => {
      if (progress) for (const step of [1, 2]) router.progress({ call_id, progress: step, total: 2 });
      await new Promise((done) => setImmediate(done));
      return { result: { done: true } };
    });
    const outcome = {
      ok: true,
      status: 'succeeded',
      result: { done: true },
      redactions: [],
      meta: {},
      audit_event_id: 'evt_1',
    };
    router.runs.set('run_1', { run, outcome: null });
    router.runs.set('run_done', {
      run: { ...run, status: 'completed' },
      outcome: outcome as unknown as Envelope,
    });
  }
}, 30_000);
afterAll(async () => {
  agent.destroy();
  await Promise.all([fast.stop(), reference.stop()]);
});

/** What a client gets to see, without what is random in it: a sealed state, and ids the edge made. */
function seen({ status, headers, text }: Got) {
  const body = text
    .replaceAll(/"requestState":"v1\.[\w-]+"/g, '"requestState":"sealed"')
    .replaceAll(/req_\d+_made/g, 'req_made');
  const type = headers['content-type'];
  // Members of an object have no order on the wire; frames of a stream do.
  const messages = type === 'text/event-stream' ? body.split('\n\n').filter(Boolean) : [`data: ${body}`];
  const parsed = messages.map((frame) => {
    const data = frame
      .split('\n')
      .find((line) => line.startsWith('data: '))
      ?.slice(6);
    return data ? (JSON.parse(data) as unknown) : frame;
  });
  return { status, type, challenge: headers['www-authenticate'], allow: headers.allow, messages: parsed };
}

test(
  'the fast path answers what the SDK answers, status and body',
  async () => {
    const kinds = new Map<string, number>();
    const ask = (facade: FacadeUnderTest, { body, headers }: ReturnType<typeof requestOf>) =>
      send(facade.urls.mcp_url, { method: 'POST', headers: [JSON_TYPE, ...headers], body, agent });
    for (let done = 0; done < RUNS; done += BATCH) {
      const requests = fc
        .sample(shape, { numRuns: Math.min(BATCH, RUNS - done), seed: SEED + done })
        .map(requestOf);
      const pairs = await Promise.all(
        requests.map(async (request) =>
          Promise.all([request, ask(fast, request), ask(reference, request)] as const),
        ),
      );
      for (const [request, a, b] of pairs) {
        const [mine, its] = [seen(a), seen(b)];
        // Compared as values only when the texts differ: at this number of requests the matcher is what takes the time.
        if (JSON.stringify(mine) !== JSON.stringify(its))
          expect({ request, ...mine }).toEqual({ request, ...its });
        const [last] = mine.messages.slice(-1) as { error?: { code?: number } | string }[];
        const error = typeof last?.error === 'object' ? last.error.code : last?.error;
        const kind = `${a.status} ${error ?? 'result'}`;
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
      // The doubles keep what they heard; only the SDK's way asks who it is first.
      for (const { router } of [fast, reference]) {
        const by = router === fast.router ? 'asked by the fast facade' : 'asked by the reference';
        kinds.set(by, (kinds.get(by) ?? 0) + router.on('router_identify').length);
        router.heard.length = 0;
      }
    }
    // A generator that only makes refusals would prove nothing.
    const count = (kind: string) => kinds.get(kind) ?? 0;
    expect(count('asked by the reference') - count('asked by the fast facade')).toBeGreaterThan(RUNS / 5);
    for (const kind of [
      '200 result',
      '200 -32602',
      '400 -32600',
      '400 -32602',
      '400 -32020',
      '400 -32021',
      '401 invalid_token',
    ])
      expect([kind, count(kind) > 0]).toEqual([kind, true]);
  },
  // 50,000 take about two minutes of a core; a machine that is busy with other work is no failure.
  30_000 + RUNS * 30,
);
