import { expect, test } from '@jest/globals';
import { OpError } from '@adaos/contracts';
import { createServer } from './serve.js';
import { gate } from './suite/fixture.js';

/** What goes over the wire, answer by answer, for a handler that returns or throws what it is given. */
async function answersOf(
  handler: (body: unknown) => unknown,
  ...texts: (string | null)[]
): Promise<string[]> {
  const options = { queue: 'test', max_concurrency: 1 };
  const server = createServer({ options, handler: async (body) => handler(body), max_payload: () => 200 });
  const replies: string[] = [];
  for (const text of texts)
    server.accept({ subject: 'a.b', headers: {}, text, reply: (reply) => void replies.push(reply) });
  await server.drain(5_000);
  return replies;
}

test('a result is wrapped as it is', async () => {
  expect(await answersOf((body) => body, '{"a":[1]}', 'null', '')).toEqual([
    '{"ok":true,"value":{"a":[1]}}',
    '{"ok":true,"value":null}',
    '{"ok":true}',
  ]);
});

test('an error is a code and what its author wrote; an unknown one says nothing of itself', async () => {
  const fail = (body: unknown) => {
    throw body === 1 ? new OpError('conflict', { id: 'r1' }) : new Error('password is hunter22');
  };
  expect(await answersOf(fail, '1', '2')).toEqual([
    '{"ok":false,"error":{"code":"conflict","message":"The request id was used before with other arguments.","details":{"id":"r1"}}}',
    '{"ok":false,"error":{"code":"internal","message":"Internal error; the operator finds it under the trace id."}}',
  ]);
});

test('details that do not fit or are not JSON are left out, the code gets through', async () => {
  const bare =
    '{"ok":false,"error":{"code":"conflict","message":"The request id was used before with other arguments."}}';
  const fail = (body: unknown) => {
    throw new OpError('conflict', { id: body === 1 ? 'x'.repeat(200) : 1n });
  };
  expect(await answersOf(fail, '1', '2')).toEqual([bare, bare]);
});

test('bytes that are not a body never reach the handler', async () => {
  const refusal =
    '{"ok":false,"error":{"code":"invalid_argument","message":"An argument is not valid.","details":{"reason":"body_not_json"}}}';
  let ran = false;
  const replies = await answersOf(() => (ran = true), '{', null);
  expect([replies, ran]).toEqual([[refusal, refusal], false]);
});

test('a published message is handled and nobody is answered', async () => {
  const seen: unknown[] = [];
  const options = { queue: 'test', max_concurrency: 1 };
  const server = createServer({ options, handler: async (body) => seen.push(body), max_payload: () => 200 });
  server.accept({ subject: 'a.b', headers: {}, text: '1' });
  server.accept({ subject: 'a.b', headers: {}, text: '{' });
  await server.drain(5_000);
  expect(seen).toEqual([1]);
});

test('a signal taken after the end of the drain is aborted already', async () => {
  const work = gate();
  let late: AbortSignal | undefined;
  const options = { queue: 'test', max_concurrency: 1 };
  const server = createServer({
    options,
    async handler(_body, context) {
      await work.opened;
      late = context.signal;
    },
    max_payload: () => 200,
  });
  const replied = new Promise<string>((reply) =>
    server.accept({ subject: 'a.b', headers: {}, text: '1', reply }),
  );
  await server.drain(5);
  work.open();
  await replied;
  expect((late!.reason as OpError).code).toBe('cancelled');
});
