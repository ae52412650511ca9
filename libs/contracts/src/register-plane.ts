import type { ToolContract } from './nouns/tool-contract.js';
import { PLANES, type Plane } from './planes.js';
import { PROFILES, type Profile } from './profiles.js';
import { PROMPTS, type Prompt } from './prompts.js';
import { RESOURCE_KINDS, type ResourceKind } from './resources.js';
import { addTools } from './tools/registry.js';

/** A plane that is not part of the product's own build, with everything that belongs to it. */
export interface FurtherPlane {
  readonly plane: Plane;
  readonly tools: readonly ToolContract[];
  readonly profile: Profile;
  readonly resources: readonly ResourceKind[];
  readonly prompts: readonly Prompt[];
}

/** Names that a plane is given from outside may be as long as every client takes, not only as short as ours. */
const FOREIGN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * Adds a plane to the registries of this process. A program calls it before it imports a service, since services read the registries when
 * they are loaded. No program that is deployed calls it.
 */
export function registerPlane({ plane, tools, profile, resources, prompts }: FurtherPlane): void {
  if (Object.hasOwn(PLANES, plane.plane_id)) throw new TypeError(`plane ${plane.plane_id} is there already`);
  Object.assign(PLANES, { [plane.plane_id]: plane });
  addTools(tools, FOREIGN_NAME);
  Object.assign(PROFILES, { [profile.profile_id]: profile });
  RESOURCE_KINDS.push(...resources);
  PROMPTS.push(...prompts);
}
