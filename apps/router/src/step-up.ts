import { PROFILES, SCOPE_PROFILES, type Grant, type ToolContract } from '@adaos/contracts';

/**
 * The profiles a token of an authorization server would need to call this tool: those it has, and the smallest that holds it (MCP authorization,
 * step-up). Null for every other credential, for which unknown and not granted read the same, and for a tool that no scope would give.
 */
export function stepUpFor(
  grant: Pick<Grant, 'auth_method' | 'capability_profile'>,
  { required_capability }: Pick<ToolContract, 'required_capability'>,
): string[] | null {
  if (grant.auth_method !== 'oauth_access_token') return null;
  const [smallest] = SCOPE_PROFILES.map((id) => PROFILES[id])
    .filter(({ capabilities }) => (capabilities as readonly string[]).includes(required_capability))
    .sort((a, b) => a.capabilities.length - b.capabilities.length);
  return smallest ? [...new Set([...grant.capability_profile.split('+'), smallest.profile_id])] : null;
}
