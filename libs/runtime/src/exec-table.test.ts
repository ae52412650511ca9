import { expect, test } from '@jest/globals';
import { subjectOf, toolOf, type ExecRequest } from '@adaos/contracts';
import { execHandler, InputRequired, type ExecTable } from './exec-table.js';

const served = { signal: new AbortController().signal };
const tool_id = 'hub.list_mcp_sessions';
const request: ExecRequest = {
  event_id: 'evt_1',
  request_id: 'req_1',
  trace_id: 't',
  lease_id: 'lse_1',
  actor: 'a',
  tool_id,
  target_id: null,
  subnet_id: null,
  arguments: {},
  arguments_digest: '',
  dry_run: false,
};

test('a result is measured once', async () => {
  let serialised = 0;
  const result = { toJSON: () => ({ n: (serialised += 1) }) };
  const reply = await execHandler('root.test', { [tool_id]: () => result })(request, served);
  expect(reply).toMatchObject({ status: 'succeeded', adapter: 'root.test' });
  expect(serialised).toBe(1);
});

test('a result over the contract’s limit becomes an error', async () => {
  const text = 'x'.repeat(toolOf(tool_id).contract.max_result_bytes);
  const reply = await execHandler('root.test', { [tool_id]: () => ({ text }) })(request, served);
  expect(reply).toMatchObject({ error: { code: 'result_too_large' } });
  expect(reply).not.toHaveProperty('result');
});

test('names of every object are no tools', async () => {
  await expect(
    execHandler('root.test', {})({ ...request, tool_id: 'constructor' }, served),
  ).rejects.toMatchObject({
    code: 'tool_not_found',
  });
});

test('a tool reports progress when somebody listens, and into the void when nobody does', async () => {
  const said: unknown[] = [];
  const bus = { publish: (subject: string, body: unknown) => void said.push([subject, body]) };
  const table: ExecTable = {
    [tool_id]: (_args, _request, { progress }) => {
      progress({ progress: 1, total: 2, message: 'half' });
      return {};
    },
  };
  const run = execHandler('root.test', table, bus);
  await run(request, served);
  expect(said).toEqual([]);
  await run({ ...request, progress: true }, served);
  expect(said).toEqual([
    [subjectOf('exec_progress'), { event_id: 'evt_1', progress: 1, total: 2, message: 'half' }],
  ]);
});

test('a tool asks for input, and gets the answers with its state on the way back', async () => {
  const requests = { who: { method: 'elicitation/create' as const, params: { message: 'Who?' } } };
  const table: ExecTable = {
    [tool_id]: (_args, _request, { input }) =>
      input.state === 'one' ? { given: input.responses } : new InputRequired(requests, 'one'),
  };
  const run = execHandler('root.test', table);
  const first = await run(request, served);
  expect(first).toMatchObject({ status: 'input_required', input: { requests, state: 'one' } });
  expect(first).not.toHaveProperty('result');
  const input = { accepts: [], responses: { who: { action: 'accept' } }, state: 'one' };
  expect((await run({ ...request, input }, served)).result).toEqual({ given: input.responses });
});
