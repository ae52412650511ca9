import {
  findTool,
  isWrite,
  PROFILES,
  TOOL_CONTRACTS,
  type Envelope,
  type ToolContract,
} from '@adaos/contracts';
import { succeeded, type Spine } from '../spine.js';
import { KnownIds } from './known-ids.js';
import { argumentsFor, type Schema } from './samples.js';

export interface Tenant {
  readonly name: string;
  readonly target_id: string;
  readonly known: KnownIds;
  /** A bearer that holds the tool, the same each time. */
  readerFor(tool_id: string | null): Promise<string>;
  /** A fresh bearer that holds the tool, or one of a control lease when no profile does. */
  bearerFor(tool_id: string | null): Promise<string>;
  /** Does everything a tenant can do, so that there is something of each kind to find. */
  act(): Promise<void>;
  /** From now on its changes wait for an approval. */
  asksFirst(): Promise<void>;
  /** What its hub was asked to do. */
  readonly asked: () => number;
}

const HUB_CAPABILITIES = [
  ...new Set(TOOL_CONTRACTS.filter((c) => c.served_by === 'hub').map((c) => c.required_capability)),
];
const profileFor = (tool_id: string | null): string => {
  const capability = tool_id === null ? undefined : findTool(tool_id)?.contract.required_capability;
  const holding = Object.values(PROFILES).find(
    (p) => capability && (p.capabilities as readonly string[]).includes(capability),
  );
  return holding?.profile_id ?? 'InfraOpsControl';
};

/** A subnet with a hub, leases of every profile and a record of its own. */
export async function tenant(spine: Spine, name: string): Promise<Tenant> {
  const hub_id = `${name}-hub-01`;
  const target_id = `hub:${hub_id}`;
  const subnet_id = `${name}-net-01`;
  const known = new KnownIds({ hub_id, target_id, subnet_id });
  const register = async (approval?: 'writes') => {
    await spine.operator('operations.register_target', {
      hub_id,
      title: `${name} bench`,
      owner: `${name}-owner`,
      environment: 'test',
      subnet_id,
      policy: {
        write_scope: 'test-only',
        allowed_services: ['web'],
        allowed_capabilities: HUB_CAPABILITIES,
        ...(approval && { approval }),
      },
    });
  };
  await register();
  await spine.operator('operations.set_skill_state', { target_id, state: 'enabled' });
  const hub = await spine.hub(hub_id, async ({ lease_id }) => succeeded({ hub_id, lease_id }));
  for (const verb of ['hub_control', 'hub_cancel'] as const) hub.serve(verb, async () => ({ aborted: 0 }));
  await hub.report({ capabilities: HUB_CAPABILITIES });

  const readers = new Map<string, string>();

  async function issue(capability_profile: string): Promise<string> {
    const { result } = await spine.operator('hub.issue_mcp_session', {
      target_id,
      capability_profile,
      note: `${name}-note`,
      audience: `${name}-client`,
    });
    known.learn(result);
    return (result as { bearer: string }).bearer;
  }

  async function tried(bearer: string, contract: ToolContract): Promise<Envelope> {
    const envelope = await spine.call(bearer, contract.tool_id, ownArguments(contract, known));
    known.learn(envelope);
    return envelope;
  }

  return {
    name,
    target_id,
    known,
    bearerFor: (tool_id) => issue(profileFor(tool_id)),
    async readerFor(tool_id) {
      const profile = profileFor(tool_id);
      const bearer = readers.get(profile) ?? (await issue(profile));
      readers.set(profile, bearer);
      return bearer;
    },
    async act() {
      for (const { profile_id, capabilities } of Object.values(PROFILES)) {
        const bearer = await issue(profile_id);
        const tools = TOOL_CONTRACTS.filter((c) => capabilities.includes(c.required_capability as never));
        // Reads last: they tell the ids of what the writes made.
        for (const contract of tools.filter(isWrite)) await tried(bearer, contract);
        for (const contract of tools.filter((c) => !isWrite(c))) await tried(bearer, contract);
      }
      // What admins hand out for the tenant: no lease of its own can ask for these.
      for (const [tool_id, args] of [
        [
          'hub.issue_access_token',
          { target_id, capability_profile: 'LeaseAdmin', audience: `${name}-native` },
        ],
        ['zone.create_api_key', { name: `${name}-key`, role: 'operator', subnet_id }],
        ['zone.create_operator', { name: `${name}-operator`, role: 'viewer' }],
      ] as const)
        known.learn((await spine.operator(tool_id, args)).result);
      // A page of one: what comes after it is named by a cursor.
      const reader = await issue('InfraOpsRead');
      known.learn(await spine.call(reader, 'operations.list_recent_events', { limit: 1 }));
    },
    asksFirst: () => register('writes'),
    asked: () => hub.seen.length,
  };
}

/** Arguments that a tenant would use itself: its own ids where they are asked for, samples else. */
function ownArguments({ input_schema }: ToolContract, known: KnownIds): Record<string, unknown> {
  const made = argumentsFor(input_schema as Schema);
  for (const name of Object.keys(made)) if (known.get(name) !== undefined) made[name] = known.get(name);
  return made;
}
