import { isObject } from './mcp/json-rpc.js';

/** Members of a message and of its parameters that decide what is run, as the specification spells them. */
const MESSAGE = spellings(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
const PARAMS = spellings([
  'name',
  'arguments',
  'uri',
  'cursor',
  '_meta',
  'dry_run',
  'protocolVersion',
  'requestState',
  'inputResponses',
]);

/**
 * Refuses a member that looks like one of the protocol's and is not spelled like it: `Params`, `NAME`. Here it would count as unknown,
 * but a proxy or a log in front that ignores case reads another call than the one that is run; such a pair of readings was a way around
 * policy in a peer (Teleport #66989, #67262, #68500). Escapes are no matter: `\u006eame` is `name` after the one parse.
 */
export function spellingFault(body: unknown): { rule: string; message: string } | null {
  if (!isObject(body)) return null;
  const { params } = body;
  return oddIn(body, MESSAGE) ?? (isObject(params) ? oddIn(params, PARAMS) : null);
}

interface Spellings {
  readonly exact: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}
function spellings(names: readonly string[]): Spellings {
  return { exact: new Set(names), folded: new Set(names.map(fold)) };
}

// Upper case, full-width letters, the long s: whatever some parser folds into the plain letter.
function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim();
}

function oddIn(object: Record<string, unknown>, { exact, folded }: Spellings) {
  for (const key of Object.keys(object)) {
    if (!exact.has(key) && folded.has(fold(key)))
      return { rule: 'spelling', message: `The member ${fold(key)} is spelled in another way.` };
  }
  return null;
}
