import { COMPLETIONS, RESOURCE_KINDS, variableOf } from '@adaos/contracts';
import { isAuthFailure } from '../failure.js';
import { errorOf } from './answer.js';
import { answering, governed, isHidden } from './governed.js';
import { isObject } from './json-rpc.js';
import type { Method } from './methods.js';
import { refuseParams } from './refuse-params.js';
import { offered } from './prompts.js';

/** As many as the protocol allows in an answer. */
const MAX_VALUES = 100;
const MAX_TEXT = 256;

/** `completion/complete`: values of an argument or variable, read by a governed call, so never more than the caller could read itself. */
export const complete: Method = (edge, exchange, { id, params }) =>
  answering(exchange, id, async () => {
    const { ref, argument } = params;
    const named = isObject(argument) ? argument['name'] : undefined;
    const typed = isObject(argument) ? argument['value'] : undefined;
    if (typeof named !== 'string' || typeof typed !== 'string' || typed.length > MAX_TEXT)
      return refuseParams(edge, exchange, 'params.argument must hold a name and a short value.', {
        path: '/params/argument',
        rule: 'type',
      });
    const { tool_ids } = await edge.router.listed(exchange.caller, 'completion.complete');
    if (!namesOf(ref, tool_ids).includes(named))
      return refuseParams(edge, exchange, 'There is no such argument.', {
        path: '/params/ref',
        rule: 'known',
      });
    const sources = Object.hasOwn(COMPLETIONS, named) ? COMPLETIONS[named]! : [];
    const source = sources.find(({ tool_id }) => tool_ids.includes(tool_id));
    if (!source) return answerOf([]);
    const read = await governed(edge, exchange, source.tool_id, { ...source.arguments });
    if (!read.ok) {
      if (isAuthFailure(read.failure)) return { kind: 'failure', failure: read.failure };
      return isHidden(read.failure) ? answerOf([]) : { kind: 'error', error: errorOf(read.failure) };
    }
    const all = source.values.flatMap((path) => textsAt(read.result, path.split('.')));
    const start = typed.toLowerCase();
    const fitting = [...new Set(all)].filter((value) => value.toLowerCase().startsWith(start)).sort();
    return answerOf(fitting, typeof read.result['next_cursor'] === 'string');
  });

/** Names that a reference has and the caller may see: arguments of a prompt, the variable of a template. */
function namesOf(ref: unknown, tool_ids: readonly string[]): string[] {
  if (!isObject(ref)) return [];
  if (ref['type'] === 'ref/prompt')
    return offered(ref['name'], tool_ids)?.arguments.map(({ name }) => name) ?? [];
  if (ref['type'] !== 'ref/resource') return [];
  const kind = RESOURCE_KINDS.find(({ uri, tool_id }) => uri === ref['uri'] && tool_ids.includes(tool_id));
  const variable = kind && variableOf(kind);
  return variable ? [variable] : [];
}

/** Texts at a path; `*` goes into every entry of a list. */
function textsAt(value: unknown, [step, ...rest]: string[]): string[] {
  if (step === undefined) return typeof value === 'string' ? [value] : [];
  if (step === '*') return Array.isArray(value) ? value.flatMap((entry) => textsAt(entry, rest)) : [];
  return isObject(value) && Object.hasOwn(value, step) ? textsAt(value[step], rest) : [];
}

/** With `more` there are values that were not looked at, so nobody knows how many fit. */
const answerOf = (found: readonly string[], more = false) => {
  const values = found.slice(0, MAX_VALUES);
  const completion = {
    values,
    ...(!more && { total: found.length }),
    hasMore: more || found.length > values.length,
  };
  return { kind: 'result' as const, result: { completion } };
};
