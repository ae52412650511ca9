import { setTimeout as after } from 'node:timers/promises';
import { OpError } from '@adaos/contracts';
import type { ExecContext, ExecTable } from '@adaos/runtime';
import { answer, audio, image, PNG, resource, says, text } from './content.js';
import { askingTools, promptThatAsks } from './asking-tools.js';

/** Milliseconds between two steps that the suite watches. */
const PAUSE_MS = 50;

async function steps(context: ExecContext, all: readonly { progress: number; message?: string }[]) {
  for (const [i, step] of all.entries()) {
    if (i > 0) await after(PAUSE_MS);
    context.progress({ ...step, total: 100 });
  }
}

const RESOURCES: Readonly<Record<string, object>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'A static text.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'A text that may change.' },
};

type Prompts = Readonly<Record<string, (args: Record<string, string>, context: ExecContext) => unknown>>;
const message = (content: object) => ({ role: 'user', content });
const PROMPTS: Prompts = {
  test_simple_prompt: () => ({ messages: [message(text('A simple prompt.'))] }),
  test_prompt_with_arguments: ({ arg1, arg2 }) => ({
    messages: [message(text(`A prompt with arg1=${arg1} and arg2=${arg2}.`))],
  }),
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => ({
    messages: [
      message(resource(resourceUri, 'text/plain', 'The resource that was asked for.')),
      message(text('Look at the resource above.')),
    ],
  }),
  test_prompt_with_image: () => ({ messages: [message(image), message(text('Look at the image above.'))] }),
  test_input_required_result_prompt: (_, context) => promptThatAsks(context),
};

/** The fixtures. `change` toggles what the lease lists, the way an operator would. */
export const conformanceTools = (change: () => Promise<void>): ExecTable => ({
  'test.simple_text': () => says('This is a simple text response for testing.'),
  'test.image_content': () => answer(image),
  'test.audio_content': () => answer(audio),
  'test.embedded_resource': () =>
    answer(resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  'test.multiple_content_types': () =>
    answer(
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  'test.error_handling': () => {
    throw new OpError('adapter_failed', {}, 'This tool intentionally returns an error for testing');
  },
  'test.tool_with_progress': async (_args, _request, context) => {
    await steps(context, [{ progress: 0 }, { progress: 50 }, { progress: 100 }]);
    return says('Done.');
  },
  'test.tool_with_logging': async (_args, _request, context) => {
    await steps(context, [
      { progress: 0, message: 'Tool execution started' },
      { progress: 50, message: 'Tool processing data' },
      { progress: 100, message: 'Tool execution completed' },
    ]);
    return says('Done.');
  },
  'test.logging_tool': async (_args, _request, context) => {
    await steps(context, [{ progress: 100, message: 'Only for who asked to hear it' }]);
    return says('Done.');
  },
  'test.trigger_tool_change': async () => {
    await change();
    return says('The tool list has changed.');
  },
  'test.trigger_prompt_change': async () => {
    await change();
    return says('The prompt list has changed.');
  },
  'test.read_resource': ({ uri }: { uri: string }) => answer(RESOURCES[uri] ?? {}),
  'test.read_template': ({ id }: { id: string }) =>
    answer({ mimeType: 'application/json', text: JSON.stringify({ id, data: `Data of ${id}` }) }),
  'test.get_prompt': (args: { name: string; arguments: Record<string, string> }, _request, context) => {
    if (!Object.hasOwn(PROMPTS, args.name)) throw new OpError('invalid_argument', { path: '/name' });
    return PROMPTS[args.name]!(args.arguments, context);
  },
  ...askingTools,
});
