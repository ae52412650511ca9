import { code, codes, page, table } from './markdown.mjs';

export function profilesPage({ contracts }) {
  const { PROFILES, ROLES, TOOL_CONTRACTS, LEASE_TTL, roleCapabilities, toolsFor } = contracts;
  const profiles = Object.values(PROFILES);
  return page(
    'Capability profiles and roles',
    'libs/contracts/src/profiles.ts and roles.ts',
    'A lease is issued with one profile, or with a subset of its capabilities. What it holds is frozen then: a later change of the profile does not reach it.',
    `A lease lives ${LEASE_TTL.min} s to ${LEASE_TTL.max / 86_400} days, ${LEASE_TTL.default / 3_600} h when nothing is said.`,
    '## Profiles',
    table(
      ['Profile', 'Version', 'For', 'Holds', 'Tools'],
      profiles.map((p) => [
        code(p.profile_id),
        p.version,
        p.title,
        p.summary,
        toolsFor(p.capabilities).length,
      ]),
    ),
    profiles.map((profile) => [
      `### ${profile.profile_id}`,
      table(
        ['Capability', 'Opens'],
        profile.capabilities.map((capability) => [code(capability), codes(toolsFor([capability]))]),
      ),
    ]),
    '## Operator roles',
    'An operator has no target of its own and names one where a tool needs it. Policy judges operators like everybody else.',
    table(
      ['Role', 'Writes', 'Tools'],
      ROLES.map((role) => {
        const tools = toolsFor(roleCapabilities(role, TOOL_CONTRACTS));
        const writes = tools.filter(
          (id) => !TOOL_CONTRACTS.find((c) => c.tool_id === id).annotations.readOnlyHint,
        );
        return [
          code(role),
          writes.length ? codes(writes) : 'none',
          `${tools.length} of ${TOOL_CONTRACTS.length}`,
        ];
      }),
    ),
  );
}
