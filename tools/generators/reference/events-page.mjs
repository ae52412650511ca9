import { sourceFiles, textOf } from './load.mjs';
import { code, codes, page, table, typeOf } from './markdown.mjs';

const TYPES = {
  'tool.call': 'A governed call of a tool, allowed or not.',
  'tool.list': '`tools/list` for a bearer.',
  'auth.denied':
    'A bearer that is missing, unknown, expired or revoked, whatever was asked with it. Outside of tool calls also one sent with another zone or subnet, or that could not be checked.',
  'auth.admitted':
    'A token of a trusted issuer, or a sign-in with it, was let in: whose word, as what, until when. Once per token.',
  'auth.checked': 'Never stored: a check that passes leaves no event, one that fails is `auth.denied`.',
  'auth.denied.counted':
    'Bad bearers of one address beyond those with an event of their own: how many in `result_summary.refused`, by code. One a minute at most, from each router.',
  'call.refused':
    'A request the edge refused before it became a call: odd JSON, a batch, a bad header, a path or method that is not there.',
  'call.denied.counted': 'The same of one credential’s refused calls.',
  'service.limits.degraded': 'A router lost the shared counters: it counts alone, under lower limits.',
  'service.limits.restored': 'It has them again.',
  'lease.issued':
    'A lease was issued; `lease_id` is the new one, `actor` who issued it. The call that did it is `cause_event_id`, also below.',
  'lease.rotated': 'A lease got a new bearer under this id; the summary names the one before.',
  'lease.revoked': 'A lease was ended, by itself or with its family.',
  'lease.expired':
    'A lease came to its deadline, or to the end of its overlap: found by a look every few seconds.',
  'token.issued': 'An access token was issued.',
  'token.revoked': 'An access token was ended, by itself or with its family.',
  'token.expired': 'An access token came to its deadline.',
  'key.issued': 'An API key was made.',
  'key.revoked': 'An API key was ended, by itself or with its maker.',
  'key.expired': 'An API key came to its deadline.',
  'operator.created': 'An operator was made; `lease_id` is its id.',
  'operator.changed':
    'An operator got another role, was disabled or enabled; the summary counts what ended with it.',
  'operator.rotated': 'An operator got a new token.',
};

const FIELDS = {
  event_id: 'Id of the event; every answer names it as `audit_event_id`.',
  event_type: 'Kind, see above.',
  phase: 'Which record of the event this is.',
  trace_id: 'W3C trace id, taken from `traceparent` or made at the edge.',
  request_id: 'Id of the request; for writes the idempotency key.',
  surface: '`development` or `operations`.',
  zone: 'Zone that recorded it.',
  subnet_id: 'Subnet of the target, else of the credential.',
  actor:
    'Who acted: `mcp_session_lease:<id>`, `access_token:<id>`, `api_key:<name>`, `operator:<name>`, `oidc:<issuer>:<subject>`, `oauth:<issuer>:<subject>`, or `service:session` for time; null when nobody was recognised.',
  auth_method: 'How the actor was recognised.',
  lease_id:
    'Id of the lease, token, key, admission or operator behind the bearer; of the one it happened to where the type says so.',
  target_id: 'Target the call was judged against.',
  tool_id: 'Tool; for an unknown one the name as sent, masked.',
  plane_id: 'Plane of the tool.',
  capability: 'Capability the tool needs.',
  routing_class: 'Where such a tool runs.',
  side_effect_class: 'What such a tool may change.',
  policy_decision: 'Answer of the decision point; null when it was not asked.',
  decision_id: 'Id of the decision; reads may share one.',
  determining_rules: 'Rules that made it.',
  policy_revision: 'Digest of the policies that were asked: guards, files and version of the zone.',
  policy_explanation: 'Which policy, which fact had which value. For operators only; null to a lease.',
  obligations: 'What the allow was tied to: limits and masks, as the policy writes them.',
  facts_digest: 'SHA-256 of the canonical JSON of all facts of the decision. For operators only.',
  policy_facts:
    'Those facts, less what the build knows anyway (contract of the tool, capabilities of an unchanged profile). For operators only.',
  permit_id: 'Permit that went to the hub.',
  approval_id: 'Approval it asked for, or ran under.',
  execution_adapter: 'What ran it.',
  dry_run: 'Nothing was to be changed.',
  status: 'Outcome.',
  started_at: 'When the router took it.',
  finished_at: 'When the outcome was known.',
  arguments_digest: 'SHA-256 of the canonical JSON of what ran.',
  arguments_redacted: 'The arguments, secrets masked.',
  result_summary: 'Names of the result’s members and a digest, never the result.',
  error: 'Code, message and details the caller got.',
  redactions: 'What was masked in the result: rule and count.',
  timings:
    'Milliseconds per step: `session_ms`, `policy_ms`, `open_ms`, `dispatch_ms`, `adapter_ms`, `total_ms`.',
  cause_event_id: 'Call that caused this one.',
  client: 'Name, version, way in (`mcp`, `rest`, `nats`) and address.',
  source: 'Whether root or the subnet answered.',
  attempt: 'Attempt number; always 1 in this build.',
};

const PHASES = {
  opened: 'Written before a write is dispatched. The write waits until it is durable.',
  closed: 'The outcome. The only record of a read or a refusal.',
  late: 'The hub’s outcome, when it came after the caller had been told `timed_out`.',
};

/** Event types that router and session really make: a type here that nobody makes, or the other way round, stops the generator. */
function checkTypes(of_credentials) {
  const made = sourceFiles('apps/router/src').flatMap((path) =>
    [...textOf(path).matchAll(/draftEvent\(deps, '([a-z.]+)'|event_type = '([a-z.]+)'/g)].map(
      (m) => m[1] ?? m[2],
    ),
  );
  sameNames('event types', Object.keys(TYPES), [...new Set([...made, ...of_credentials])]);
}

function sameNames(what, described, real) {
  const lost = [...described.filter((n) => !real.includes(n)), ...real.filter((n) => !described.includes(n))];
  if (lost.length) throw new Error(`${what}: described and real ones differ in ${lost.join(', ')}`);
}

export function eventsPage({ contracts }) {
  const { OperationalEvent, RECORD_PHASES, EVENT_STATUSES } = contracts;
  checkTypes(contracts.CREDENTIAL_EVENTS);
  sameNames('event fields', Object.keys(FIELDS), Object.keys(OperationalEvent.properties));
  sameNames('phases', Object.keys(PHASES), [...RECORD_PHASES]);
  return page(
    'Operational events',
    'libs/contracts/src/nouns/event.ts',
    'Every call leaves an event, whatever came of it. It is read with `operations.list_recent_events`, `hub.get_activity_log` or `GET /v1/root/mcp/audit`; those reads themselves are not recorded when they succeed.',
    '## Types',
    table(
      ['Type', 'When'],
      Object.entries(TYPES).map(([name, text]) => [code(name), text]),
    ),
    '## Phases',
    'One event is one to three records in one append-only table. A reader gets them merged, later over earlier.',
    table(
      ['Phase', 'When'],
      Object.entries(PHASES).map(([name, text]) => [code(name), text]),
    ),
    '## Outcomes',
    `\`status\` is one of ${codes(EVENT_STATUSES)}. \`open\`: no outcome recorded yet. \`indeterminate\`: the hub could not be asked for ten minutes, so nobody knows.`,
    '## Fields',
    table(
      ['Field', 'Type', 'Meaning'],
      Object.entries(OperationalEvent.properties).map(([name, schema]) => [
        code(name),
        typeOf(schema),
        FIELDS[name],
      ]),
    ),
    'A stored event also has `seq`, `prev_hash` and `hash`: its place in the hash chain of the zone. `hash` is SHA-256 over `prev_hash`, the record’s canonical JSON and `seq` in decimal (`libs/store/src/chain.ts`). A lease is told none of the three.',
  );
}
