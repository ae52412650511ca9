import { findTool } from '@adaos/contracts';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server';
import type { Era, Exchange } from './exchange.js';
import { metaOf } from './json-rpc.js';

/** Levels that let `info` through. */
const HEARS_INFO = new Set<unknown>(['debug', 'info']);

/**
 * Is what the tool says on its way shown as log messages? Only of a native tool, the protocol gave logging up; of the modern era only if this
 * request asks for the level. The legacy era sets a level for a session, which there is none of: it hears them all.
 */
export function showsLogs(
  { takes_sse }: Pick<Exchange, 'takes_sse'>,
  name: string,
  params: Record<string, unknown>,
  era: Era,
): boolean {
  if (!takes_sse || findTool(name)?.contract.presentation !== 'native') return false;
  return era === 'legacy' || HEARS_INFO.has(metaOf(params)[LOG_LEVEL_META_KEY]);
}
