import {
  PLANES,
  PROFILES,
  TOOL_CONTRACTS,
  toolOf,
  toolsFor,
  type DescriptorLevel,
  type ToolContract,
} from '@adaos/contracts';
import { descriptors, type Build } from './descriptors.js';

export interface DescribeOptions {
  readonly zone: string;
  readonly build: Build;
  readonly now: () => number;
}

const short = ({
  tool_id,
  mcp_name,
  title,
  summary,
  surface,
  plane_id,
  side_effect_class,
  routing_class,
  required_capability,
  dry_run,
}: ToolContract) => ({
  tool_id,
  mcp_name,
  title,
  summary,
  surface,
  plane_id,
  side_effect_class,
  routing_class,
  required_capability,
  dry_run,
});

const planes = Object.values(PLANES).map((plane) => ({
  ...plane,
  tools: TOOL_CONTRACTS.filter((c) => c.plane_id === plane.plane_id).map((c) => c.tool_id),
}));

const profiles = Object.values(PROFILES).map((profile) => ({
  ...profile,
  tools: toolsFor(profile.capabilities),
}));

const capabilities = [...new Set(TOOL_CONTRACTS.map((c) => c.required_capability))]
  .sort()
  .map((capability) => ({
    capability,
    tools: TOOL_CONTRACTS.filter((c) => c.required_capability === capability).map((c) => c.tool_id),
    writes: TOOL_CONTRACTS.some((c) => c.required_capability === capability && !c.annotations.readOnlyHint),
    profiles: Object.values(PROFILES)
      .filter((p) => (p.capabilities as readonly string[]).includes(capability))
      .map((p) => p.profile_id),
  }));

/** Answers of the AdaOSDevPlane basics: built once from the registries of this build, nothing is scraped at run time. */
export function describe({ zone, build, now }: DescribeOptions) {
  const served = descriptors({ build, now });
  const foundation = {
    id: 'root-mcp-foundation',
    zone,
    build,
    surfaces: ['development', 'operations'],
    planes: planes.map(({ plane_id, title, surface, summary }) => ({ plane_id, title, surface, summary })),
    capability_profiles: profiles.map(({ profile_id, version, title, summary }) => ({
      profile_id,
      version,
      title,
      summary,
    })),
    entrypoints: {
      mcp: '/v1/root/mcp',
      rest: [
        'foundation',
        'contracts',
        'descriptors',
        'planes',
        'profiles',
        'targets',
        'sessions',
        'call',
        'audit',
      ].map((p) => `/v1/root/mcp/${p}`),
      openapi: '/openapi.json',
    },
    client_model: {
      external: 'url and bearer of an MCP session lease; target, subnet and zone come from the lease',
      headers: ['Authorization', 'X-AdaOS-Zone (may only narrow)', 'X-AdaOS-Subnet-Id (may only narrow)'],
    },
    counts: { tools: TOOL_CONTRACTS.length, planes: planes.length, profiles: profiles.length },
  };
  return {
    'adaos_dev.get_foundation': () => ({ foundation }),
    'adaos_dev.list_contracts': (args: { surface?: string; plane_id?: string }) => ({
      contracts: TOOL_CONTRACTS.filter(
        (c) =>
          (args.surface === undefined || c.surface === args.surface) &&
          (args.plane_id === undefined || c.plane_id === args.plane_id),
      ).map(short),
    }),
    'adaos_dev.get_contract': (args: { tool_id: string }) => ({ contract: toolOf(args.tool_id).contract }),
    'adaos_dev.list_descriptors': (args: { class?: string }) => ({ descriptors: served.list(args.class) }),
    'adaos_dev.get_descriptor': (args: { descriptor_id: string; level?: DescriptorLevel }) => ({
      descriptor: served.get(args.descriptor_id, args.level),
    }),
    'adaos_dev.list_capability_classes': () => ({ capabilities, profiles, planes }),
  };
}
