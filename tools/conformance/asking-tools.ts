import type { InputAsked } from '@adaos/contracts';
import { InputRequired, type ExecContext, type ExecTable } from '@adaos/runtime';
import { says, text } from './content.js';

type Requests = InputAsked['requests'];
type Request = Requests[string];

const form = (message: string, properties: Record<string, object>): Request => ({
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  },
});
const sample = (question: string, maxTokens: number): Request => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(question) }], maxTokens },
});
const ROOTS: Request = { method: 'roots/list', params: {} };
const STRING = { type: 'string' };

/** Asks until every question has an answer, then says what was answered. */
const until =
  (requests: Requests | ((args: never) => Requests), state: string | null = null) =>
  (args: never, _request: unknown, { input }: ExecContext) => {
    const wanted = typeof requests === 'function' ? requests(args) : requests;
    const answered = Object.keys(wanted).every((key) => input.responses[key] !== undefined);
    return answered && input.state === state
      ? says(`${state ?? 'answered'}: ${JSON.stringify(input.responses)}`)
      : new InputRequired(wanted, state);
  };

const NAME = form('What is your name?', { name: STRING });
const CONFIRM = { confirm: form('Please confirm', { ok: { type: 'boolean' } }) };
const choice = (n: number) => ({ const: `value${n}`, title: `Choice ${n}` });
const OPTIONS = ['option1', 'option2', 'option3'];

/** Fixtures that take more than one round. */
export const askingTools: ExecTable = {
  'test.sampling': until(({ prompt }: { prompt: string }) => ({ answer: sample(prompt, 100) })),
  'test.elicitation': until(({ message }: { message: string }) => ({
    user: form(message, { username: STRING, email: STRING }),
  })),
  'test.elicitation_sep1034_defaults': until({
    user: form('Check the values', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  }),
  'test.elicitation_sep1330_enums': until({
    user: form('Choose', {
      untitled: { type: 'string', enum: OPTIONS },
      titled: { type: 'string', oneOf: [choice(1), choice(2), choice(3)] },
      legacy: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option one', 'Option two'] },
      several: { type: 'array', items: { type: 'string', enum: OPTIONS } },
      several_titled: { type: 'array', items: { anyOf: [choice(1), choice(2), choice(3)] } },
    }),
  }),
  'test.missing_capability': until({ answer: sample('Are you there?', 10) }),
  'test.streaming_elicitation': until(CONFIRM),
  'test.input_required_result_elicitation': until({ user_name: NAME }),
  'test.input_required_result_sampling': until({
    capital_question: sample('What is the capital of France?', 100),
  }),
  'test.input_required_result_list_roots': until({ client_roots: ROOTS }),
  'test.input_required_result_request_state': until(CONFIRM, 'state-ok'),
  'test.input_required_result_tampered_state': until(CONFIRM, 'sealed'),
  'test.input_required_result_multiple_inputs': until(
    { user_name: NAME, greeting: sample('Generate a greeting', 50), client_roots: ROOTS },
    'three',
  ),
  'test.input_required_result_capabilities': until({
    user_name: NAME,
    greeting: sample('Generate a greeting', 50),
  }),
  'test.input_required_result_multi_round': (_args, _request, { input }) => {
    const { responses, state } = input;
    if (state === 'one' && responses['step1'])
      return new InputRequired(
        { step2: form('Step 2: What is your favorite color?', { color: STRING }) },
        'two',
      );
    if (state === 'two' && responses['step2']) return says('Both steps are answered.');
    return new InputRequired({ step1: form('Step 1: What is your name?', { name: STRING }) }, 'one');
  },
};

/** A prompt may ask like a tool. */
export function promptThatAsks({ input }: ExecContext): unknown {
  const given = input.responses['user_context'];
  if (!given)
    return new InputRequired({
      user_context: form('What context should the prompt use?', { context: STRING }),
    });
  return { messages: [{ role: 'user', content: text(`Use this context: ${JSON.stringify(given)}`) }] };
}
