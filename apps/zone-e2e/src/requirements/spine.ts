import { row, SCENARIOS, type Requirement } from './requirement.js';

const refused = (id: string, must: string, title: string) =>
  row(id, must, 'both', `${SCENARIOS}/refusal-cases.ts`, title);
const refusal = (id: string, must: string, title: string) =>
  row(id, must, 'both', `${SCENARIOS}/refusals.suite.ts`, title);

/** The spine: first call, default deny, the record, kills, secrets. */
export const SPINE: readonly Requirement[] = [
  row(
    'zone.first_call',
    'A client with a URL and a bearer reads the state of a hub and restarts a service',
    'both',
    `${SCENARIOS}/first-call.suite.ts`,
    'lease → list → status → logs → restart (dry run, real) → events',
  ),
  row(
    'deny.default',
    'Default deny',
    'unit',
    'apps/policy/src/cases.yaml',
    'nothing granted, nothing allowed',
  ),
  refused('deny.read_only', 'A read-only lease can not restart', 'a read-only lease can not restart'),
  refused('deny.production', 'A production target is refused', 'a production target'),
  refused('deny.skill_disabled', 'A disabled skill is refused', 'a disabled skill'),
  refused('deny.unknown_tool', 'An unknown tool gives its code', 'an unknown tool'),
  refused('deny.foreign_target', 'A foreign target gives its code', "another lease's target"),
  refused('deny.wrong_zone', 'A wrong zone gives its code', 'another zone in the header'),
  refused('deny.expired', 'An expired lease gives its code', 'an expired lease'),
  refused('deny.revoked', 'A revoked lease gives its code', 'a revoked lease'),
  refusal(
    'deny.odd_json',
    'Odd JSON is refused, with an event',
    'odd JSON: %s is refused with an event, and nothing runs',
  ),
  refusal(
    'deny.rest',
    'Each refusal has its code and event on REST',
    '$name → $code on REST, with its event',
  ),
  refusal(
    'deny.mcp',
    'Each refusal has its code and event on MCP',
    '$name → $code on MCP as $mcp, with its event',
  ),
  row(
    'record.before_write',
    'A write is not dispatched before its opening record is durable',
    'embedded',
    'apps/zone-e2e/src/spine.test.ts',
    'a write waits for its opening record: nothing reaches the hub before it is durable',
  ),
  row(
    'record.no_write_without',
    'A write that can not be recorded is not attempted',
    'embedded',
    'apps/zone-e2e/src/spine.test.ts',
    'with the record away a write is refused and the hub hears nothing',
  ),
  row(
    'record.kill',
    'Kill -9 of any process during calls loses no record that was answered with its id, and duplicates no restart',
    'both',
    `${SCENARIOS}/kills.suite.ts`,
    'of $victim during calls (round $round): every answer has its record, no restart runs twice',
  ),
  row(
    'hub.offline',
    'An offline hub answers target_offline at once',
    'embedded',
    'apps/zone-e2e/src/spine.test.ts',
    'a hub whose agent is gone answers target_offline at once',
  ),
  row(
    'secrets.nowhere',
    'A bearer appears in no log, event, table, argv or error',
    'both',
    `${SCENARIOS}/secrets.suite.ts`,
    'a bearer and a planted secret are in no table, file, output, argv or answer',
  ),
  row(
    'start.data_survives',
    'Data survives a restart',
    'embedded',
    'apps/zone-e2e/src/start.test.ts',
    'a lease issued before a restart works after it, and its events are still there',
  ),
  row(
    'start.exit_zero',
    'Ctrl-C drains and exits 0',
    'embedded',
    'apps/zone-e2e/src/embedded.test.ts',
    'Ctrl-C drains and exits 0',
  ),
  row(
    'start.one_sentence',
    'A taken port, a broken data directory and an old Node each get one clear sentence',
    'embedded',
    'apps/zone-e2e/src/start.test.ts',
    '%s: one clear sentence and no stack',
  ),
  row(
    'start.connection_file',
    'connection.json has its fields and mode 0600',
    'embedded',
    'apps/zone-e2e/src/start.test.ts',
    'connection.json holds what a tool needs, for its owner only',
  ),
  row(
    'start.profile',
    'ZONE_PROFILE is the profile of the printed lease',
    'embedded',
    'apps/zone-e2e/src/start.test.ts',
    'ZONE_PROFILE chooses what the printed lease may do',
  ),
  row(
    'split.replicas',
    'Several replicas share the work',
    'both',
    'apps/zone-e2e/src/split.test.ts',
    'every service runs twice, each as a process of its own',
  ),
  row(
    'revoke.in_flight',
    'A lease taken back while a call runs gets no result; what a write did stands in the record',
    'embedded',
    'apps/zone-e2e/src/races.test.ts',
    'revoked while its write runs: no result for the caller, the outcome in the record',
  ),
  row(
    'record.any_size',
    'Arguments of any size leave a record and harm no other call',
    'embedded',
    'apps/zone-e2e/src/races.test.ts',
    'arguments of any size leave a record, and harm nobody beside them',
  ),
  row(
    'approval.flow',
    'A stopped change is approved by an operator and runs once',
    'both',
    `${SCENARIOS}/approvals.suite.ts`,
    'a restart is stopped, listed, approved, and runs once',
  ),
  row(
    'approval.bound',
    'An approval is good for exactly the reviewed call, once',
    'unit',
    'apps/zone-e2e/src/approvals.test.ts',
    'it is good for no other change: %s',
  ),
  row(
    'approval.self',
    'Nobody approves what they asked for',
    'unit',
    'apps/zone-e2e/src/approvals.test.ts',
    'nobody approves what they asked for themselves',
  ),
];
