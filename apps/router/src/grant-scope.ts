import type { Grant, ToolContract } from '@adaos/contracts';

/**
 * The grant as this request may use it: a subnet named by the client fences one that has none, for every list, count and target alike. It
 * never widens: policy refuses a subnet other than the grant's own.
 */
export const narrowed = (grant: Grant, subnet_id: string | null): Grant =>
  subnet_id !== null && grant.subnet_id === null ? { ...grant, subnet_id } : grant;

/** Which argument names the bearer that a rotation replaces. */
const ROTATIONS: Readonly<Record<string, string>> = {
  'hub.rotate_mcp_session': 'session_id',
  'zone.rotate_operator': 'operator_id',
};

/**
 * Does this call replace the very bearer it came with? Its answer is not withheld: it holds the only copy of the successor, which a
 * revocation that raced with it has ended too.
 */
export function rotatesItself(
  { tool_id }: ToolContract,
  args: Record<string, unknown>,
  grant: Grant,
): boolean {
  const name = Object.hasOwn(ROTATIONS, tool_id) ? ROTATIONS[tool_id] : undefined;
  return name !== undefined && (args[name] ?? grant.grant_id) === grant.grant_id;
}
