import { digestOf } from './digest.js';
import type { PolicyFacts } from './nouns/decision.js';
import type { ToolContract } from './nouns/tool-contract.js';
import { PROFILES } from './profiles.js';
import { findTool, toolsFor } from './tools/registry.js';

/** What of a contract a decision may depend on. */
export const toolFacts = ({
  tool_id,
  plane_id,
  served_by,
  side_effect_class,
  routing_class,
  required_capability,
  allowed_environments,
  approval,
  dry_run,
}: ToolContract): PolicyFacts['tool'] => ({
  tool_id,
  plane_id,
  served_by,
  side_effect_class,
  routing_class,
  required_capability,
  allowed_environments,
  approval,
  dry_run,
});

/**
 * Facts as an event keeps them: what the build knows anyway (the tool's contract, the capabilities of an unchanged profile, the tools they
 * open) is left out. Whether they were rebuilt right is proven by the digest, which covers the whole.
 */
export function compactFacts(facts: PolicyFacts): {
  facts_digest: string;
  policy_facts: Record<string, unknown>;
} {
  const { capabilities, allowed_tools, ...grant } = facts.grant;
  const of_profile = profileCapabilities(grant.capability_profile);
  return {
    facts_digest: digestOf(facts),
    policy_facts: {
      grant: {
        ...grant,
        ...(!same(capabilities, of_profile) && { capabilities }),
        ...(!same(allowed_tools, toolsFor(capabilities)) && { allowed_tools }),
      },
      tool_id: facts.tool.tool_id,
      target: facts.target,
      call: facts.call,
    },
  };
}

/** The whole facts again, or null when this build would make others of them (a contract or profile changed since). */
export function expandFacts(policy_facts: unknown, facts_digest: string): PolicyFacts | null {
  const { grant, tool_id, target, call } = (policy_facts ?? {}) as Partial<PolicyFacts> & {
    tool_id?: string;
  };
  const tool = typeof tool_id === 'string' ? findTool(tool_id) : undefined;
  if (!grant || !tool || target === undefined || !call) return null;
  const capabilities = grant.capabilities ?? [...profileCapabilities(grant.capability_profile)];
  const allowed_tools = grant.allowed_tools ?? toolsFor(capabilities);
  const facts: PolicyFacts = {
    grant: { ...grant, capabilities, allowed_tools },
    tool: toolFacts(tool.contract),
    target,
    call,
  };
  return digestOf(facts) === facts_digest ? facts : null;
}

const profileCapabilities = (profile_id: string): readonly string[] =>
  Object.hasOwn(PROFILES, profile_id) ? PROFILES[profile_id as keyof typeof PROFILES].capabilities : [];

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((value, index) => value === b[index]);
