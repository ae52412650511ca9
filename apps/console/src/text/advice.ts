import type { ErrorCode } from '@adaos/contracts';

/** Where the next step can be taken: a page of the console. */
export type Step = 'lease' | 'new_lease' | 'target' | 'trace' | 'approval';

/** Why a call was refused or failed, and what an operator does about it. Written for who runs the zone, not for the client. */
export interface Advice {
  readonly why: string;
  readonly act: string;
  readonly step?: Step;
}

const row = (why: string, act: string, step?: Step): Advice => ({ why, act, ...(step && { step }) });

/** Complete by type and by test: a new code needs a row. */
export const ADVICE: Record<ErrorCode, Advice> = {
  unauthenticated: row(
    'The bearer was missing, malformed or unknown to this zone.',
    'Check that the client sends “Authorization: Bearer …” with the text shown at issue, and to this zone. A lost bearer can not be shown again: issue a new lease.',
    'new_lease',
  ),
  lease_expired: row(
    'The lease had passed its deadline when the call came.',
    'Issue a new lease if the client should go on; choose a longer life if it runs out too often.',
    'new_lease',
  ),
  lease_revoked: row(
    'The lease was taken back before the call, or while it ran.',
    'The lease says who revoked it and why. Issue a new one if the client should go on. A write that was already running has its outcome in this record.',
    'lease',
  ),
  forbidden: row(
    'The credential does not hold what this needs, or what it named is on no allowlist.',
    'Compare the tool with the capabilities of the lease. If the client should have it, issue a lease with a profile that holds it; if the service was refused, list it in the policy of the target.',
    'lease',
  ),
  insufficient_scope: row(
    'The access token lacks the scope this needs.',
    'Let the client ask for the scope named in the details, or give it a lease with a profile that holds it.',
    'new_lease',
  ),
  scope_mismatch: row(
    'The request named a subnet that is not the one of its credential.',
    'Remove X-AdaOS-Subnet-Id from the client, or give it a lease on a target of that subnet. The header may only narrow.',
    'lease',
  ),
  zone_mismatch: row(
    'The request named another zone than the one it reached.',
    'Remove X-AdaOS-Zone from the client, or point it to the URL of that zone. The header may only narrow.',
  ),
  target_forbidden: row(
    'The credential belongs to another target.',
    'Leave target_id out: a lease knows its own target. For this target, issue a lease on it.',
    'new_lease',
  ),
  target_not_found: row(
    'The zone has no target, lease or event of that name, or none that this credential may see.',
    'Check the spelling in the arguments. Register the hub first if it is new.',
  ),
  target_offline: row(
    'The hub missed three heartbeats, or nothing of it listens on the bus.',
    'Look at when it was last seen, then at the agent on the hub and its way out to the zone. Calls work again by themselves when it reports.',
    'target',
  ),
  environment_forbidden: row(
    'The tool may not run in the environment of this target, or the write scope of the target forbids changes.',
    'This protects staging and production. Use a test hub, or change the environment or write scope of the target if it is recorded wrongly.',
    'target',
  ),
  surface_unavailable: row(
    'The target publishes no operational surface at all.',
    'Install and enable infra_access_skill on it, then wait for its next report.',
    'target',
  ),
  capability_not_published: row(
    'The hub does not publish this tool right now: it does not offer it, or the policy of the target leaves it out.',
    'The target page lists every withheld tool with its reason. Allow the capability in the policy of the target, or update the agent on the hub.',
    'target',
  ),
  skill_not_installed: row(
    'infra_access_skill is not installed on the target, so nothing of the hub can be reached.',
    'Enable the skill on the target page.',
    'target',
  ),
  skill_disabled: row(
    'infra_access_skill is disabled on the target: an operator or the hub itself has switched it off.',
    'Enable it on the target page if the hub should be reachable. If it was switched off on the hub, it has to be enabled there.',
    'target',
  ),
  report_unverified: row(
    'The hub is registered, but has not sent a report yet.',
    'Start the agent on the hub and wait for its first heartbeat. Nothing is published before.',
    'target',
  ),
  tool_not_found: row(
    'There is no tool of that name, or the lease does not list it. The client is told the same for both.',
    'Compare the name with the tools of the lease. If the client should have it, issue a lease with a profile that holds it.',
    'lease',
  ),
  invalid_argument: row(
    'The arguments break the contract of the tool, or name what the hub does not have. Nothing was changed.',
    'The details name the path and the rule. Correct the call on the side of the client; its tools/list has the schema.',
  ),
  approval_required: row(
    'The contract of this tool, or the policy of the target, wants an approver to agree before it acts.',
    'Look at the change and approve or reject it; then the client repeats the call with the approval id. Whoever asked can not approve.',
    'approval',
  ),
  input_required: row(
    'The tool has to ask for something on the way, and the client did not say that it can be asked.',
    'Call it from a client of MCP 2026-07-28 that declares what the details name.',
  ),
  approval_mismatch: row(
    'The approval that was shown is for another change than the one asked for.',
    'Have this exact change approved. An approval can not be moved to another one, and works once.',
    'approval',
  ),
  approval_expired: row('The approval had run out before it was used.', 'Approve the change again.'),
  plan_stale: row(
    'What the plan was made against has changed since.',
    'Make a new plan, look at it, and approve that.',
  ),
  rate_limited: row(
    'This lease called the tool more often than its contract allows.',
    'It passes by itself; the details say when. If it comes back, see in the trace what the client loops on.',
    'trace',
  ),
  concurrency_limited: row(
    'As many calls of this tool were running as the target or the lease may have at once.',
    'It passes when one of them ends. Calls that never end show as open in the record.',
    'trace',
  ),
  deadline_exceeded: row(
    'The call ran out of time. The hub may still have finished it.',
    'Read the outcome in this record before the call is repeated. If it is slow every time, look at the load of the hub.',
    'target',
  ),
  cancelled: row(
    'The client went away or cancelled the call.',
    'Nothing to do here. A write may have taken effect: its outcome stands in this record.',
    'trace',
  ),
  result_too_large: row(
    'The request or the result was over the size limit.',
    'Let the client ask for less: fewer lines, a filter, a smaller page.',
  ),
  duplicate_request: row(
    'The same request id is still running.',
    'Let the client wait and repeat it: the second answer brings the first result, not a second effect.',
    'trace',
  ),
  conflict: row(
    'It contradicts what is there: the request id was used with other arguments, or the thing was changed or decided meanwhile.',
    'What the client was told says which. Look at how it stands now; each new write needs a new request id.',
    'trace',
  ),
  adapter_failed: row(
    'The hub tried and could not carry it out.',
    'Read the message and details of the error, then the logs and services of the hub.',
    'target',
  ),
  audit_unavailable: row(
    'The record could not be written, so nothing was done.',
    'Look at the audit service, its stream and its database. Calls work again when the record can be written.',
  ),
  dependency_unavailable: row(
    'A part of the zone did not answer in time.',
    'Look at the services of the zone: its log names the one that is away. Nothing has to be changed on the client.',
  ),
  internal: row(
    'A fault of the zone itself; the client was told nothing else.',
    'Search the logs of the zone for the trace id of this record.',
    'trace',
  ),
};

/** A rule that made the decision can say more than its code. Held by a test against the policy files. */
export const RULE_ADVICE: Readonly<Record<string, Advice>> = {
  'grant.tool_not_listed': row(
    'The tool exists, but this lease does not list it. The client was told “unknown tool”.',
    'Issue a lease with a profile that holds the tool, if the client should have it.',
    'new_lease',
  ),
  'surface.service_not_allowed': row(
    'The service is not on the allowlist of the target.',
    'Register the target again with the service in policy.allowed_services, if it may be touched.',
    'target',
  ),
  'environment.not_in_contract': row(
    'The contract of this tool does not allow the environment of the target.',
    'This protects staging and production. Use a test hub; if this one is a test hub, correct its environment.',
    'target',
  ),
  'environment.write_scope': row(
    'The write scope of the target allows no changes there.',
    'Widen the write scope of the target, if changes are wanted. It is root’s to decide, the hub can not.',
    'target',
  ),
  'call.dry_run_refused': row(
    'The tool can not dry-run, and the call asked for it. Nothing ran.',
    'Let the client leave dry_run out.',
  ),
};

/** The same for what the console itself was refused: there is no client whose lease could be another one. */
const OWN: Readonly<Record<string, string>> = {
  invalid_argument: 'Correct it and try again.',
  target_not_found: 'It may be gone, or belong to another zone.',
  tool_not_found:
    'The role of your token does not hold this. Sign in with the token of an operator or an admin.',
  forbidden: 'The role of your token does not hold this. Sign in with the token of an operator or an admin.',
};

const UNKNOWN = row(
  'The zone answered with a code that this console does not know; it is probably newer.',
  'Read the message and the details; then reload the console.',
);

/** What to do about a refusal of the console's own request; empty where its message says all. */
export function ownAdviceFor(code: string): string {
  if (Object.hasOwn(OWN, code)) return OWN[code]!;
  return Object.hasOwn(ADVICE, code) ? ADVICE[code as ErrorCode].act : '';
}

/** The most specific advice: by the rule that decided, else by the code. */
export function adviceFor(code: string, rules: readonly string[] = []): Advice {
  const rule = rules.find((id) => Object.hasOwn(RULE_ADVICE, id));
  if (rule !== undefined) return RULE_ADVICE[rule]!;
  return Object.hasOwn(ADVICE, code) ? ADVICE[code as ErrorCode] : UNKNOWN;
}
