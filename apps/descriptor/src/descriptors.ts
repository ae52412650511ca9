import {
  CONFIG_CLIENTS,
  clientConfig,
  digestOf,
  OpError,
  PLANES,
  PROFILES,
  TOOL_CONTRACTS,
  toolsFor,
  type Descriptor,
  type DescriptorClass,
  type DescriptorHead,
  type DescriptorLevel,
} from '@adaos/contracts';

/** Seconds a copy may be kept: what a build says changes with the next deployment only. */
const CACHE_TTL_SEC = 300;

export interface Build {
  readonly version: string;
  readonly commit: string;
}

interface Source {
  readonly title: string;
  readonly summary: string;
  readonly source_ref: string;
  /** The entries of each level. */
  readonly payload: Readonly<Record<DescriptorLevel, () => readonly unknown[]>>;
}

const ids = (rows: Readonly<Record<string, object>>) => () => Object.keys(rows);
const planeTools = (plane_id: string) => TOOL_CONTRACTS.filter((c) => c.plane_id === plane_id);

/** One row per class. All of it is data of this build: nothing is scraped, nothing can be out of date while the build runs. */
const SOURCES: Readonly<Record<DescriptorClass, Source>> = {
  plane_registry: {
    title: 'Planes',
    summary: 'Planes of this zone, their surface and the tools in each.',
    source_ref: 'libs/contracts/src/planes.ts',
    payload: {
      mini: ids(PLANES),
      std: () =>
        Object.values(PLANES).map((plane) => ({
          ...plane,
          tools: planeTools(plane.plane_id).map((c) => c.tool_id),
        })),
      rich: () =>
        Object.values(PLANES).map((plane) => ({
          ...plane,
          tools: planeTools(plane.plane_id).map(shortTool),
        })),
    },
  },
  capability_profiles: {
    title: 'Capability profiles',
    summary: 'What a lease can be issued with: capabilities of each profile, and the tools they open.',
    source_ref: 'libs/contracts/src/profiles.ts',
    payload: {
      mini: ids(PROFILES),
      std: () => Object.values(PROFILES),
      rich: () =>
        Object.values(PROFILES).map((profile) => ({ ...profile, tools: toolsFor(profile.capabilities) })),
    },
  },
  schema_manifest: {
    title: 'Tool schemas',
    summary: 'Version and schema digests of every tool contract; rich has the schemas themselves.',
    source_ref: 'libs/contracts/src/tools',
    payload: {
      mini: () => TOOL_CONTRACTS.map((c) => c.tool_id),
      std: () =>
        TOOL_CONTRACTS.map((c) => ({
          ...shortTool(c),
          version: c.version,
          stability: c.stability,
          input_schema_digest: digestOf(c.input_schema),
          output_schema_digest: digestOf(c.output_schema),
        })),
      rich: () =>
        TOOL_CONTRACTS.map((c) => ({
          ...shortTool(c),
          version: c.version,
          stability: c.stability,
          input_schema: c.input_schema,
          output_schema: c.output_schema,
        })),
    },
  },
  client_profile: {
    title: 'MCP clients',
    summary: 'Clients a configuration is written for: where it goes, in which format, what to mind.',
    source_ref: 'libs/contracts/src/client-config.ts',
    payload: {
      mini: () => [...CONFIG_CLIENTS],
      std: () => clients().map(({ client, file, format, notes }) => ({ client, file, format, notes })),
      rich: clients,
    },
  },
};

const shortTool = ({ tool_id, mcp_name, title }: (typeof TOOL_CONTRACTS)[number]) => ({
  tool_id,
  mcp_name,
  title,
});

function clients() {
  const example = { mcp_url: 'https://zone.example/v1/root/mcp', server_name: 'adaos', bearer_env: 'BEARER' };
  return CONFIG_CLIENTS.map((client) => clientConfig(client, example));
}

const LEVELS: readonly DescriptorLevel[] = ['mini', 'std', 'rich'];

/**
 * The descriptors of a build. Payloads and hashes are made once: two replicas of one build answer the same hash, whenever they started.
 * `now` stamps when a copy was handed out.
 */
export function descriptors({ build, now }: { build: Build; now: () => number }) {
  const made = Object.entries(SOURCES).map(([descriptor_id, { payload, ...rest }]) => {
    const level = (name: DescriptorLevel) => {
      const value = { entries: payload[name]() };
      return { value, hash: digestOf({ class: descriptor_id, level: name, payload: value }) };
    };
    const levels = { mini: level('mini'), std: level('std'), rich: level('rich') };
    return { descriptor_id: descriptor_id as DescriptorClass, ...rest, levels };
  });
  const generated_at = new Date(now()).toISOString();

  const headOf = (
    { descriptor_id, title, summary, source_ref, levels }: (typeof made)[number],
    level: DescriptorLevel,
  ): DescriptorHead => ({
    descriptor_id,
    class: descriptor_id,
    title,
    summary,
    source_kind: 'build',
    source_ref,
    generated_at,
    fresh_until: new Date(now() + CACHE_TTL_SEC * 1000).toISOString(),
    cache_ttl_sec: CACHE_TTL_SEC,
    stability: 'stable',
    content_hash: levels[level].hash,
    level,
    levels: [...LEVELS],
    state: 'fresh',
    build: { ...build, built_at: null },
  });

  return {
    list: (of?: string): DescriptorHead[] =>
      made.filter((d) => of === undefined || d.descriptor_id === of).map((d) => headOf(d, 'std')),
    get(descriptor_id: string, level: DescriptorLevel = 'std'): Descriptor {
      const found = made.find((d) => d.descriptor_id === descriptor_id);
      if (!found)
        throw new OpError('invalid_argument', { path: '/descriptor_id' }, 'There is no such descriptor.');
      return { ...headOf(found, level), payload: found.levels[level].value };
    },
  };
}
