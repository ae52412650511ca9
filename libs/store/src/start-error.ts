/**
 * The store can't start, and an operator can do something about it.
 * The message is one sentence that names what is wrong and what to do; it is meant to be printed without a stack.
 */
export class StoreStartError extends Error {
  override readonly name = 'StoreStartError';
}

/** The errno code (`EACCES`), SQLSTATE (`42501`) or driver code of a throw, or '' when it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
