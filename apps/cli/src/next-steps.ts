import type { ErrorCode } from '@adaos/contracts';

const NEW_TOKEN =
  'Use a valid token: ADAOS_TOKEN, --token-file, or the .zone/connection.json of a running zone.';
const TARGET = 'Look at the target: adaosctl targets show <target>';
const SKILL = 'Enable it: adaosctl targets skill <target> enabled';
const RETRY = 'Try again; a write is safe to repeat with the same --request-id.';
const APPROVER =
  'An approver says yes: adaosctl approvals approve <approval>; then repeat the same call with --approval <approval>';
const ASK_ANEW = 'Make the same call without --approval; the request that makes can be approved.';

/** What an operator does about each code. Complete by type: a new code needs a line here. */
export const NEXT_STEPS: Record<ErrorCode, string> = {
  unauthenticated: NEW_TOKEN,
  lease_expired: NEW_TOKEN,
  lease_revoked: NEW_TOKEN,
  forbidden: 'Look at the rules that decided, in the event; another credential or policy may allow it.',
  insufficient_scope: 'Use a credential whose role or profile holds this.',
  scope_mismatch: 'Use a credential of that subnet.',
  zone_mismatch: 'Use the URL and the token of the same zone.',
  target_forbidden: 'See what this credential reaches: adaosctl targets list',
  target_not_found: 'See which targets there are: adaosctl targets list',
  target_offline: TARGET,
  environment_forbidden: 'See where the tool may run: adaosctl tools show <tool>',
  surface_unavailable: TARGET,
  capability_not_published: TARGET,
  skill_not_installed: SKILL,
  skill_disabled: SKILL,
  report_unverified: 'Wait for the next heartbeat of the hub, then try again.',
  tool_not_found:
    'Compare with adaosctl tools list. If it is there, the role or profile of this credential does not hold it.',
  invalid_argument: 'See what is expected: add --help, or adaosctl tools show <tool>',
  input_required: 'The tool asks for more on the way: call it from an MCP client that can be asked.',
  approval_required: APPROVER,
  approval_mismatch: ASK_ANEW,
  approval_expired: ASK_ANEW,
  plan_stale: 'Make a new plan.',
  rate_limited: 'Wait a little, then try again.',
  concurrency_limited: 'Wait until a call under way has ended, then try again.',
  deadline_exceeded: 'Look the outcome up under the event id before trying again.',
  cancelled: RETRY,
  result_too_large: 'Ask for less, for example by a limit or a filter.',
  duplicate_request: 'Wait for the first one, then repeat with the same --request-id to get its result.',
  conflict: 'Look at how it stands now; other arguments need another --request-id.',
  adapter_failed: TARGET,
  audit_unavailable: 'Nothing was done; try again when the record can be written: adaosctl zone status',
  dependency_unavailable: 'Try again shortly; see what is away: adaosctl zone status',
  internal: 'Search the logs of the zone for the trace id.',
};
