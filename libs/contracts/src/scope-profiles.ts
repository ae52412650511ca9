import { PROFILES, type ProfileId } from './profiles.js';

/** What a token of an authorization server may not do: make credentials that outlive it and that nobody there could take back. */
const MINTING = ['hub.issue_mcp_session', 'hub.rotate_mcp_session', 'hub.issue_access_token'];

/** Profiles that a scope may name: `profile:InfraOpsRead` and so on, all but those that hand out credentials. */
export const SCOPE_PROFILES: readonly ProfileId[] = (Object.keys(PROFILES) as ProfileId[]).filter(
  (id) =>
    !MINTING.some((capability) => (PROFILES[id].capabilities as readonly string[]).includes(capability)),
);
