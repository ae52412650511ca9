import { isOffered, PROMPTS, promptText, type Prompt } from '@adaos/contracts';
import { failureIn, isAuthFailure } from '../failure.js';
import { errorOf } from './answer.js';
import { answering, cacheHints } from './governed.js';
import { isObject } from './json-rpc.js';
import type { Method } from './methods.js';
import { inRounds } from './multi-round.js';
import { refuseParams } from './refuse-params.js';
import { isFirstPage } from './resources.js';

/** A value longer than this is no name and no sentence. */
const MAX_VALUE = 1_000;

/** `prompts/list`: workflows whose tools the caller lists. */
export const listPrompts: Method = (edge, exchange, { id, params, era }) =>
  answering(exchange, id, async () => {
    if (!isFirstPage(params['cursor']))
      return refuseParams(edge, exchange, 'The list has one page; there is no such cursor.', {
        path: '/params/cursor',
        rule: 'cursor',
      });
    const { tool_ids } = await edge.router.listed(exchange.caller, 'prompt.list');
    const prompts = PROMPTS.filter((prompt) => isOffered(prompt, tool_ids)).map(wireOf);
    return { kind: 'result', result: { prompts, ...cacheHints(era) } };
  });

/** `prompts/get`: the text for this caller, or what the tool behind the prompt answers. */
export const getPrompt: Method = (edge, exchange, { id, params, era }) =>
  answering(exchange, id, async () => {
    const { name, arguments: given = {} } = params;
    const { tool_ids } = await edge.router.listed(exchange.caller, 'prompt.get');
    const prompt = offered(name, tool_ids);
    // One text for a prompt that does not exist and one whose tools the caller lacks.
    if (!prompt)
      return refuseParams(edge, exchange, 'Unknown prompt.', { path: '/params/name', rule: 'known' });
    const fault = argumentFault(prompt, given);
    if (fault) return refuseParams(edge, exchange, fault.message, { path: fault.path, rule: fault.rule });
    const args = given as Record<string, string>;
    const { description } = prompt;
    if (prompt.tool_id === undefined) {
      const text = promptText(prompt, args, tool_ids);
      const messages = [{ role: 'user', content: { type: 'text', text } }];
      return { kind: 'result', result: { description, messages } };
    }
    const request = { method: 'prompts/get', name: prompt.name, args, params, era };
    const { tool_id } = prompt;
    return inRounds(
      edge,
      exchange,
      request,
      ({ input }) => {
        const ask = { name: tool_id, arguments: { name, arguments: args }, ...(input && { input }) };
        return edge.router.call(exchange.caller, ask, exchange.abort.signal);
      },
      (envelope) => {
        const failure = failureIn(envelope);
        if (!failure)
          return { kind: 'result', result: { description, messages: envelope.result?.['messages'] } };
        return isAuthFailure(failure)
          ? { kind: 'failure', failure }
          : { kind: 'error', error: errorOf(failure) };
      },
    );
  });

/** The prompt of that name if the caller is offered it. */
export const offered = (name: unknown, tool_ids: readonly string[]): Prompt | undefined =>
  PROMPTS.find((prompt) => prompt.name === name && isOffered(prompt, tool_ids));

function argumentFault(
  prompt: Prompt,
  given: unknown,
): { path: string; rule: string; message: string } | null {
  if (!isObject(given))
    return { path: '/params/arguments', rule: 'type', message: 'arguments must be an object.' };
  for (const [name, value] of Object.entries(given)) {
    const path = `/params/arguments/${name.slice(0, 64)}`;
    if (!prompt.arguments.some((argument) => argument.name === name))
      return { path, rule: 'additionalProperties', message: `${path} is no argument of this prompt.` };
    if (typeof value !== 'string' || value.length > MAX_VALUE)
      return { path, rule: 'type', message: `${path} must be a text of at most ${MAX_VALUE} characters.` };
  }
  const missing = prompt.arguments.find(({ name, required }) => required && !Object.hasOwn(given, name));
  if (!missing) return null;
  const path = `/params/arguments/${missing.name}`;
  return { path, rule: 'required', message: `${path} is required.` };
}

const wireOf = ({ name, title, description, arguments: args }: Prompt) => ({
  name,
  title,
  description,
  arguments: args.map((argument) => ({
    name: argument.name,
    description: argument.description,
    required: argument.required === true,
  })),
});
