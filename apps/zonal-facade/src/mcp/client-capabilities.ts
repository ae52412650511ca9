import type { InputKind } from '@adaos/contracts';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { Era } from './exchange.js';
import { isObject, metaOf } from './json-rpc.js';

/** JSON-RPC code of the revision for a client that lacks what a request needs; its HTTP status is 400. */
export const MISSING_CAPABILITY = -32021;
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** What a client says of itself with this request; the older era has no place to say it in. */
function declared(params: Record<string, unknown>, era: Era): Record<string, unknown> {
  const said = metaOf(params)[CLIENT_CAPABILITIES_META_KEY];
  return era === 'modern' && isObject(said) ? said : {};
}

/** Kinds of input a client can be asked for. A bare `elicitation` means forms, as it did before there were modes. */
export function inputKinds(params: Record<string, unknown>, era: Era): readonly InputKind[] {
  const { elicitation, sampling, roots } = declared(params, era);
  const modes = isObject(elicitation) ? elicitation : null;
  const form = modes !== null && (isObject(modes['form']) || !('url' in modes));
  return [
    ...(form ? (['elicitation.form'] as const) : []),
    ...(modes !== null && isObject(modes['url']) ? (['elicitation.url'] as const) : []),
    ...(isObject(sampling) ? (['sampling'] as const) : []),
    ...(isObject(roots) ? (['roots'] as const) : []),
  ];
}

/** May this request be answered with a task? */
export function takesTasks(params: Record<string, unknown>, era: Era): boolean {
  const { extensions } = declared(params, era);
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}
