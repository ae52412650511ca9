import { OpError } from '../errors.js';
import type { ToolContract } from '../nouns/tool-contract.js';
import { PLANES, type PlaneId } from '../planes.js';
import { validator } from '../validate.js';
import { ACCESS_TOKEN_TOOLS } from './access-tokens.js';
import { ADAOS_DEV_TOOLS } from './adaos-dev.js';
import { APPROVAL_TOOLS } from './approvals.js';
import { ADMISSION_TOOLS } from './admissions.js';
import { HUB_READ_TOOLS } from './hub-read.js';
import { HUB_WRITE_TOOLS } from './hub-write.js';
import { LEASE_TOOLS } from './lease-admin.js';
import { OPERATIONS_TOOLS } from './operations.js';
import { POLICY_TOOLS } from './policies.js';
import { ZONE_ACCESS_TOOLS } from './zone-access.js';

/** A registered tool: its contract and the compiled check of its arguments. */
export interface Tool {
  readonly contract: ToolContract;
  readonly checkArguments: (value: unknown) => Record<string, unknown>;
}

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/** Registers contracts by id and by published name. A name two clients could confuse, or an unknown plane, is refused here. */
export function registerTools(
  contracts: readonly ToolContract[],
  byName = new Map<string, Tool>(),
  fits: RegExp = NAME,
): Map<string, Tool> {
  for (const contract of contracts) {
    const { tool_id, mcp_name, plane_id } = contract;
    if (!fits.test(mcp_name) || mcp_name.includes('__'))
      throw new TypeError(`tool ${tool_id}: ${mcp_name} is no valid MCP name`);
    if (!Object.hasOwn(PLANES, plane_id)) throw new TypeError(`tool ${tool_id}: no plane ${plane_id}`);
    if (PLANES[plane_id as PlaneId].surface !== contract.surface)
      throw new TypeError(`tool ${tool_id}: surface differs from its plane`);
    // Both are published: one that no 2020-12 validator takes is refused here and not by a client at its first call (field case F10).
    compiled(contract, 'output_schema');
    const tool: Tool = { contract, checkArguments: compiled(contract, 'input_schema') };
    for (const name of new Set([tool_id, mcp_name])) {
      if (byName.has(name)) throw new TypeError(`tool ${tool_id}: the name ${name} is taken`);
      byName.set(name, tool);
    }
  }
  return byName;
}

/** Throws a TypeError that names tool and schema. Nothing is loaded from anywhere: a reference that leads out is one that leads nowhere. */
function compiled(contract: ToolContract, side: 'input_schema' | 'output_schema') {
  try {
    return validator<Record<string, unknown>>(contract[side]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no schema';
    throw new TypeError(`tool ${contract.tool_id}: ${side}: ${reason}`);
  }
}

/** Every contract of this build, in published order. */
const CONTRACTS: ToolContract[] = [
  ...ADAOS_DEV_TOOLS,
  ...HUB_READ_TOOLS,
  ...HUB_WRITE_TOOLS,
  ...LEASE_TOOLS,
  ...ACCESS_TOKEN_TOOLS,
  ...OPERATIONS_TOOLS,
  ...APPROVAL_TOOLS,
  ...ZONE_ACCESS_TOOLS,
  ...POLICY_TOOLS,
  ...ADMISSION_TOOLS,
];

export const TOOL_CONTRACTS: readonly ToolContract[] = CONTRACTS;

const REGISTRY = registerTools(CONTRACTS);

/** Adds contracts of a further plane to those of this build. Only `registerPlane` calls it. */
export function addTools(contracts: readonly ToolContract[], fits: RegExp): void {
  registerTools(contracts, REGISTRY, fits);
  CONTRACTS.push(...contracts);
}

/** The tool of that id or MCP name, or undefined. */
export const findTool = (name: string): Tool | undefined => REGISTRY.get(name);

/** The contract of that id or MCP name. Throws OpError(tool_not_found). */
export function toolOf(name: string): Tool {
  const tool = REGISTRY.get(name);
  if (!tool) throw new OpError('tool_not_found');
  return tool;
}

/** Tools whose capability is among those given: what a lease with them may call. */
export const toolsFor = (capabilities: readonly string[]): string[] =>
  TOOL_CONTRACTS.filter((c) => capabilities.includes(c.required_capability)).map((c) => c.tool_id);
