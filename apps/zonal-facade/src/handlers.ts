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

/** What of the tool's result is answered: some of its members, or the one entry of a list under a name of its own. */
export type View =
  | { readonly only: readonly string[] }
  | { readonly entry_of: string; readonly as: string; readonly missing: string };

const get = (path: string, tool_id: ToolId, summary: string, view?: View): ResourceRoute => ({
  method: 'get',
  path: MCP_PATH + path,
  tool_id,
  summary,
  ...(view && { view }),
});
const post = (path: string, tool_id: ToolId, summary: string): ResourceRoute => ({
  method: 'post',
  path: MCP_PATH + path,
  tool_id,
  summary,
});

const SESSION: View = { entry_of: 'sessions', as: 'session', missing: 'No such session.' };
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
  get('/audit', 'operations.list_recent_events', 'Operational events, newest first'),
  get('/audit/:event_id', 'operations.list_recent_events', 'One operational event', EVENT),
];
