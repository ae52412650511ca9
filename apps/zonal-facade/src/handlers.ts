import type { TOOL_CONTRACTS } from '@adaos/contracts';
import { MCP_PATH } from './paths.js';

type ToolId = (typeof TOOL_CONTRACTS)[number]['tool_id'];

/**
 * A REST resource is a tool under another name: path parameters, the query of a GET and the body of a POST are its arguments. The
 * tool's own input schema says what they are; nothing is repeated here.
 */
export interface ResourceRoute {
  readonly method: 'get' | 'post';
  /** Express path; a `:name` is the argument of that name. */
  readonly path: string;
  readonly tool_id: ToolId;
  readonly summary: string;
  readonly view?: View;
  /** Member and field of the result that hold the hash of its content: sent as ETag, and a caller that has it gets a 304. */
  readonly etag?: readonly [member: string, field: string];
}

/**
 * What of the tool's result is answered: some of its members, the one entry of a list under a name of its own, or all of it with what only the
 * edge knows filled in where it is null.
 */
export type View =
  | { readonly only: readonly string[] }
  | { readonly fill: 'root_url' }
  | { readonly entry_of: string; readonly as: string; readonly missing: string };

const get = (path: string, tool_id: ToolId, summary: string, view?: View): ResourceRoute => ({
  method: 'get',
  path: MCP_PATH + path,
  tool_id,
  summary,
  ...(view && { view }),
});
const post = (path: string, tool_id: ToolId, summary: string, view?: View): ResourceRoute => ({
  method: 'post',
  path: MCP_PATH + path,
  tool_id,
  summary,
  ...(view && { view }),
});

const SESSION: View = { entry_of: 'sessions', as: 'session', missing: 'No such session.' };
const TOKEN: View = { entry_of: 'tokens', as: 'token', missing: 'No such token.' };
const OPERATOR: View = { entry_of: 'operators', as: 'operator', missing: 'No such operator.' };
const KEY: View = { entry_of: 'keys', as: 'key', missing: 'No such key.' };
const EVENT: View = { entry_of: 'events', as: 'event', missing: 'No such event.' };

/** The REST face: method, path, tool. Router, OpenAPI and metrics are made from it. */
export const ROUTES: readonly ResourceRoute[] = [
  get(
    '/foundation',
    'adaos_dev.get_foundation',
    'Build, surfaces, planes, entry points and counts of the zone',
  ),
  get('/contracts', 'adaos_dev.list_contracts', 'Tool contracts in short form'),
  get('/contracts/:tool_id', 'adaos_dev.get_contract', 'One tool contract'),
  get('/descriptors', 'adaos_dev.list_descriptors', 'Descriptors of this build'),
  {
    ...get('/descriptors/:descriptor_id', 'adaos_dev.get_descriptor', 'One descriptor; its ETag is the hash'),
    etag: ['descriptor', 'content_hash'],
  },
  get('/planes', 'adaos_dev.list_capability_classes', 'Plane registry', { only: ['planes'] }),
  get('/profiles', 'adaos_dev.list_capability_classes', 'Capability profiles', { only: ['profiles'] }),
  get('/targets', 'operations.list_managed_targets', 'Managed targets'),
  get('/targets/:target_id', 'operations.get_managed_target', 'One managed target'),
  post('/targets', 'operations.register_target', 'Register a target or change what root owns of it'),
  post('/targets/:target_id/skill', 'operations.set_skill_state', 'Set the skill state of a target'),
  get('/sessions', 'hub.list_mcp_sessions', 'Leases of a target'),
  post('/sessions', 'hub.issue_mcp_session', 'Issue a lease; its bearer is in the answer once'),
  get('/sessions/:session_id', 'hub.list_mcp_sessions', 'One lease', SESSION),
  post('/sessions/:session_id/revoke', 'hub.revoke_mcp_session', 'End a lease now'),
  get('/approvals', 'operations.list_approvals', 'Changes that wait for approval or had one'),
  get('/approvals/:approval_id', 'operations.get_approval', 'One approval'),
  post('/approvals/:approval_id/approve', 'operations.approve', 'Approve a change'),
  post('/approvals/:approval_id/reject', 'operations.reject', 'Reject a change'),
  get('/runs/:run_id', 'operations.get_run', 'How a run stands'),
  post('/sessions/:session_id/rotate', 'hub.rotate_mcp_session', 'Give a lease a new bearer'),
  get('/access-tokens', 'hub.list_access_tokens', 'Access tokens of a target'),
  post('/access-tokens', 'hub.issue_access_token', 'Issue a token for a native client', { fill: 'root_url' }),
  get('/access-tokens/:token_id', 'hub.list_access_tokens', 'One access token', TOKEN),
  post('/access-tokens/:token_id/revoke', 'hub.revoke_access_token', 'End an access token now'),
  get('/operators', 'zone.list_operators', 'Operators of the zone'),
  post('/operators', 'zone.create_operator', 'Make an operator; its token is in the answer once'),
  get('/operators/:operator_id', 'zone.list_operators', 'One operator', OPERATOR),
  post('/operators/:operator_id', 'zone.set_operator', 'Change role or state of an operator'),
  post('/operators/:operator_id/rotate', 'zone.rotate_operator', 'Give an operator a new token'),
  get('/api-keys', 'zone.list_api_keys', 'API keys of the zone'),
  post('/api-keys', 'zone.create_api_key', 'Make an API key; it is in the answer once'),
  get('/api-keys/:key_id', 'zone.list_api_keys', 'One API key', KEY),
  post('/api-keys/:key_id/revoke', 'zone.revoke_api_key', 'End an API key now'),
  get('/policies', 'zone.get_policies', 'Policies in force, and the versions of the zone’s own'),
  post('/policies', 'zone.put_policies', 'Put a new version of the zone’s policies in force'),
  post('/policies/rollback', 'zone.rollback_policies', 'Put an earlier version in force again'),
  post('/policies/test', 'zone.test_policies', 'Try cases or facts on the policies'),
  post('/policies/diff', 'zone.diff_policies', 'Who gains or loses what between two versions'),
  post('/policies/explain', 'zone.explain_decision', 'Which rule decided, by which facts'),
  post('/policies/replay', 'zone.replay_decisions', 'Recorded decisions under another version'),
  get('/admissions', 'operations.list_admissions', 'Who came in by a trusted issuer'),
  post('/admissions/:admission_id/revoke', 'operations.revoke_admission', 'End an admission now'),
  get('/audit', 'operations.list_recent_events', 'Operational events, newest first'),
  get('/audit/:event_id', 'operations.list_recent_events', 'One operational event', EVENT),
];
