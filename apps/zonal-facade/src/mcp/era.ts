import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { Era } from './exchange.js';
import { isObject } from './json-rpc.js';

/** The one modern revision served. */
export const MODERN_REVISION = '2026-07-28';

/** All that decides the era of a well-formed request besides its id and its other parameters. */
export interface EraFacts {
  readonly method: string;
  readonly version: string | undefined;
  readonly mcp_method: string | undefined;
  /** `params._meta` as sent; undefined when there is none. */
  readonly meta: unknown;
}

const MAX_VERDICTS = 1_000;
const MAX_KEY = 2_048;

/**
 * The SDK's classifier with a memory: its zod schemas cost as much as the rest of a call, and a client sends the same envelope each
 * time. Null when the SDK would refuse, or serve it in a way of its own. Keyed by every fact the verdict rests on, so the memory can't
 * tell another story than the classifier; bounded, so varying envelopes only make it slow, not large.
 */
export function eraClassifier(): (facts: EraFacts) => Era | null {
  const verdicts = new Map<string, Era | null>();
  return (facts) => {
    const meta = withoutPerRequest(facts.meta);
    // In a list: JSON writes an absent `_meta` and a null one alike, and only the first of them is served.
    const key = JSON.stringify([
      facts.method,
      facts.version,
      facts.mcp_method,
      meta === undefined ? [] : [meta],
    ]);
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = classify({ ...facts, meta });
    if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
    if (key.length <= MAX_KEY) verdicts.set(key, verdict);
    return verdict;
  };
}

function classify({ method, version, mcp_method, meta }: EraFacts): Era | null {
  const params = meta === undefined ? {} : { _meta: meta };
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: { jsonrpc: '2.0', id: 0, method, params },
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(mcp_method !== undefined && { mcpMethodHeader: mcp_method }),
  });
  if (outcome.kind === 'legacy') {
    const served = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
    return outcome.reason === 'no-claim' && served ? 'legacy' : null;
  }
  if (outcome.kind !== 'modern' || outcome.classification.revision !== MODERN_REVISION) return null;
  return version === MODERN_REVISION && mcp_method === method ? 'modern' : null;
}

/** Leaves out what differs from request to request and is valid by its type alone. */
function withoutPerRequest(meta: unknown): unknown {
  if (!isObject(meta)) return meta;
  const { progressToken, traceparent, tracestate, baggage, ...rest } = meta;
  const odd =
    typeof progressToken === 'string' || Number.isSafeInteger(progressToken) ? {} : { progressToken };
  return { ...rest, ...odd };
}
