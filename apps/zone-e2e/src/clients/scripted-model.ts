import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool call that the model makes next; `tool` is the name as our list has it. */
export interface ScriptedCall {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}
/** A tool as the client showed it to the model. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}
export interface ScriptedModel {
  readonly origin: string;
  /** Tools of our server that the client offered, by the name it gave them. */
  readonly shown: () => ShownTool[];
  /** What the client showed the model as the result of each call, in order. */
  readonly results: () => { text: string; is_error: boolean }[];
  readonly stop: () => Promise<void>;
}

type Raw = Record<string, any>;

/** How one vendor's API tells tools and results, and takes a call. */
interface Dialect {
  readonly path: string;
  readonly shown: (request: Raw) => ShownTool[];
  readonly results: (request: Raw) => { text: string; is_error: boolean }[];
  readonly answer: (res: ServerResponse, request: Raw, call: (ShownTool & ScriptedCall) | null) => void;
}

/**
 * A model behind a loopback port that plays a script, in place of one that costs an account: it asks for the calls one after another and
 * keeps what the client showed it. What a model would have seen is the whole point of a client.
 */
export async function scriptedModel(
  dialect: Dialect,
  server_name: string,
  calls: readonly ScriptedCall[],
): Promise<ScriptedModel> {
  let shown: ShownTool[] = [];
  let results: { text: string; is_error: boolean }[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      if (req.method !== 'POST' || new URL(req.url ?? '', 'http://x').pathname !== dialect.path) {
        res.writeHead(404, { 'content-type': 'application/json' }).end('{}');
        return;
      }
      const request = JSON.parse(body) as Raw;
      const ours = dialect.shown(request).filter((tool) => tool.name.startsWith(`mcp__${server_name}__`));
      if (ours.length > 0) shown = ours;
      results = dialect.results(request);
      const next = calls[results.length];
      const tool = next && ours.find(({ name }) => name.endsWith(`__${next.tool}`));
      dialect.answer(res, request, next && tool ? { ...tool, ...next } : null);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown: () => shown,
    results: () => results,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

function sse(res: ServerResponse, events: readonly (readonly [string, Raw])[]): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [type, data] of events)
    res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  res.end();
}

/** Anthropic's Messages API, streaming. */
export const MESSAGES: Dialect = {
  path: '/v1/messages',
  shown: ({ tools = [] }) =>
    tools.map((t: Raw) => ({ name: t['name'], description: t['description'], schema: t['input_schema'] })),
  results: ({ messages = [] }) =>
    messages
      .flatMap(({ content }: Raw) => (Array.isArray(content) ? content : []))
      .filter(({ type }: Raw) => type === 'tool_result')
      .map(({ content, is_error }: Raw) => ({
        text: typeof content === 'string' ? content : content.map((c: Raw) => c['text']).join(''),
        is_error: is_error === true,
      })),
  answer(res, { model }, call) {
    const id = `msg_${Date.now()}`;
    const stop_reason = call ? 'tool_use' : 'end_turn';
    const content_block = call
      ? { type: 'tool_use', id: `toolu_${Date.now()}`, name: call.name, input: {} }
      : { type: 'text', text: '' };
    const delta = call
      ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
      : { type: 'text_delta', text: 'done' };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
    sse(res, [
      ['message_start', { message }],
      ['content_block_start', { index: 0, content_block }],
      ['content_block_delta', { index: 0, delta }],
      ['content_block_stop', { index: 0 }],
      ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage }],
      ['message_stop', {}],
    ]);
  },
};

/** OpenAI's Responses API, streaming, with the tools of a server in a namespace. */
export const RESPONSES: Dialect = {
  path: '/v1/responses',
  shown: ({ tools = [] }) =>
    tools
      .filter(({ type }: Raw) => type === 'namespace')
      .flatMap((space: Raw) =>
        space['tools'].map((t: Raw) => ({
          name: `${space['name']}__${t['name']}`,
          description: t['description'],
          schema: t['parameters'],
        })),
      ),
  results: ({ input = [] }) =>
    input
      .filter(({ type }: Raw) => type === 'function_call_output')
      .map(({ output }: Raw) => ({ text: textOf(output), is_error: false })),
  answer(res, _, call) {
    const item = call
      ? {
          type: 'function_call',
          id: `fc_${Date.now()}`,
          call_id: `call_${Date.now()}`,
          namespace: call.name.slice(0, -call.tool.length - 2),
          name: call.tool,
          arguments: JSON.stringify(call.input),
          status: 'completed',
        }
      : {
          type: 'message',
          id: 'm_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'done', annotations: [] }],
        };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    sse(res, [
      ['response.created', { response: { id: 'r_1' } }],
      ['response.output_item.added', { output_index: 0, item }],
      ['response.output_item.done', { output_index: 0, item }],
      ['response.completed', { response: { id: 'r_1', output: [item], usage } }],
    ]);
  },
};

const textOf = (output: unknown): string =>
  typeof output === 'string' ? output : (output as Raw[]).map((part) => part['text']).join('');
