import { Type } from 'typebox';
import { Count, Flag, Json, List, Nullable, OneOf, Text } from '../nouns/field.js';
import { POLICY_TEXT_MAX, PolicyFaultShape, PolicyVersion } from '../nouns/policy-version.js';
import { defineTool, LIST_BYTES, type ToolSource } from './define.js';

type PolicyTool = Pick<ToolSource, 'tool_id' | 'title' | 'summary' | 'input' | 'output'> &
  Partial<ToolSource>;
const policy = (source: PolicyTool) =>
  defineTool({
    surface: 'operations',
    plane_id: 'zone_admin',
    served_by: 'policy',
    side_effect_class: 'none',
    routing_class: source.side_effect_class ? 'operational_bounded_write' : 'operational_live_read',
    required_capability: source.tool_id,
    allowed_environments: ['test', 'staging', 'production'],
    max_result_bytes: LIST_BYTES,
    rate_limit: { points: 120, duration_s: 60 },
    timeout_ms: 10_000,
    ...source,
  });

const change = (source: PolicyTool) =>
  policy({
    side_effect_class: 'reversible_write',
    // Who may change the rules could give themselves any right the guards leave open.
    operator_roles: ['admin'],
    // A repeat appends the same text once more; nothing else differs.
    idempotency: 'none',
    ...source,
  });

const PolicyText = (description: string) =>
  Type.Optional(Type.String({ maxLength: POLICY_TEXT_MAX, description }));
/** As text, like the cases: a schema of every fact would be published to everybody who lists tools. */
const Facts = Type.Optional(
  Type.String({
    maxLength: 64_000,
    description: 'All facts of one call as JSON: grant, tool, target, call.',
  }),
);
const VERSION_ID = 'Id of a version, pol_…, as listed by zone_get_policies.';
const PROPOSED = 'A proposed text of the zone policies instead; tried out and not kept.';
const Note = Type.Optional(Text(500, 'Why; it stays with the version.'));

/** Policies of the zone: what is in force, its versions, and what a change would do. */
export const POLICY_TOOLS = [
  policy({
    tool_id: 'zone.get_policies',
    title: 'Read the policies',
    summary:
      'The policies in force: guards of the build and those of the zone, each with text and rules; the versions of the zone policy, newest first.',
    input: {
      version_id: Type.Optional(Text(64, 'Also the text of this version, pol_…')),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Versions, default 20.' })),
    },
    output: {
      revision: Text(64),
      active: Nullable(PolicyVersion),
      problem: Nullable(Text(1000, 'why the newest policies are not in force, where they are not')),
      files: List(
        Type.Object({
          name: Text(200),
          origin: OneOf(['guard', 'zone_file', 'zone_version'] as const),
          text: Type.String(),
        }),
        200,
      ),
      rules: List(Json(), 1000),
      versions: List(PolicyVersion, 200),
      version: Nullable(Json()),
    },
  }),
  change({
    tool_id: 'zone.put_policies',
    title: 'Change the policies of the zone',
    summary:
      'Makes a new version of the zone policy text and puts it in force on every replica. A text with a fault changes nothing; every fault is named by line.',
    dry_run: 'supported',
    input: {
      text: Type.String({
        maxLength: POLICY_TEXT_MAX,
        description:
          'All policies of the zone in Cedar; it replaces the text before. Empty: the zone adds none.',
      }),
      expected_version_id: Type.Optional(
        Text(64, 'The version this text was made from; another one in force meanwhile is a conflict.'),
      ),
      note: Note,
    },
    output: {
      dry_run: Flag(),
      revision: Text(64),
      version: Nullable(PolicyVersion),
      rules: List(Text(120), 1000),
    },
  }),
  change({
    tool_id: 'zone.rollback_policies',
    title: 'Go back to an earlier version',
    summary: 'Puts the text of an earlier version in force again, as a new version that names it.',
    input: { version_id: Text(64, VERSION_ID), note: Note },
    output: { revision: Text(64), version: PolicyVersion },
  }),
  policy({
    tool_id: 'zone.test_policies',
    title: 'Try cases on the policies',
    summary:
      'Decides a table of cases, or the facts of one call, by the policies in force, an earlier version or a proposed text.',
    input: {
      cases: Type.Optional(
        Type.String({ maxLength: 200_000, description: 'The table as YAML or JSON: a list of cases.' }),
      ),
      facts: Facts,
      text: PolicyText(PROPOSED),
      version_id: Type.Optional(Text(64, VERSION_ID)),
    },
    output: {
      revision: Text(64),
      passed: Count(),
      failed: Count(),
      results: List(Json(), 500),
      faults: List(PolicyFaultShape, 50),
    },
  }),
  policy({
    tool_id: 'zone.diff_policies',
    title: 'Who gains or loses what',
    summary:
      'Decides every profile and role × tool × environment × skill state by two versions and tells what changes, grouped.',
    timeout_ms: 30_000,
    rate_limit: { points: 12, duration_s: 60 },
    input: {
      from: Type.Optional(
        Text(64, 'Id of a version, or none: guards and files alone. Default: what is in force.'),
      ),
      to: Type.Optional(
        Text(64, 'Id of a version, or none. Default: the proposed text, else what is in force.'),
      ),
      text: PolicyText(PROPOSED),
    },
    output: {
      from: Text(64),
      to: Text(64),
      compared: Count(),
      changed: Count(),
      complete: Flag('false: there are more groups or cells than were told'),
      groups: List(Json(), 200),
      faults: List(PolicyFaultShape, 50),
    },
  }),
  policy({
    tool_id: 'zone.explain_decision',
    title: 'Explain a decision',
    summary:
      'Which rule decided a recorded call and which fact had which value: by event id, decision id or facts. Also what the policies in force would say now.',
    input: {
      event_id: Type.Optional(Text(64, 'The event of the call, evt_…')),
      decision_id: Type.Optional(Text(64, 'The decision, dec_…')),
      facts: Facts,
    },
    output: {
      recorded: Nullable(Json()),
      now: Nullable(Json()),
      differs: Flag('the policies in force would decide otherwise'),
    },
  }),
  policy({
    tool_id: 'zone.replay_decisions',
    title: 'Replay recorded decisions',
    summary:
      'Decides the recorded calls of a time range again by a proposed text or version and tells which would come out otherwise.',
    timeout_ms: 30_000,
    rate_limit: { points: 12, duration_s: 60 },
    input: {
      since: Text(32, 'RFC 3339 time; calls from then on.'),
      until: Type.Optional(Text(32, 'RFC 3339 time; calls before it. Default: now.')),
      text: PolicyText(PROPOSED),
      version_id: Type.Optional(Text(64, VERSION_ID)),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 5000,
          description: 'Calls at most, newest first; default 1000.',
        }),
      ),
    },
    output: {
      revision: Text(64),
      replayed: Count(),
      not_replayable: Count('decided by facts this build can not make again'),
      changed: Count(),
      complete: Flag('false: the range holds more calls than were replayed'),
      groups: List(Json(), 200),
      faults: List(PolicyFaultShape, 50),
    },
  }),
];
