import type { ErrorCode, StoredEvent } from '@adaos/contracts';

/** Bearers of leases in every state a refusal needs. */
export interface Leases {
  read: string;
  control: string;
  production: string;
  staging: string;
  disabled: string;
  missing: string;
  silent: string;
  revoked: string;
  expired: string;
}

/** One refused call: by whom, what, and how each door says it. */
export interface Refusal {
  name: string;
  as: keyof Leases | 'nobody' | 'made_up';
  tool: string;
  args?: unknown;
  headers?: Record<string, string>;
  code: ErrorCode;
  /** How MCP says it: HTTP 401, a JSON-RPC error, or a result with isError. */
  mcp: 'http_401' | 'json_rpc' | 'is_error';
  /** What the record knows beyond the code. */
  event?: Partial<StoredEvent>;
}

export const REFUSALS: Refusal[] = [
  {
    name: 'a read-only lease can not restart',
    as: 'read',
    tool: 'hub.restart_service',
    args: { service: 'web' },
    code: 'tool_not_found',
    mcp: 'json_rpc',
    event: { tool_id: 'hub.restart_service', determining_rules: ['grant.tool_not_listed'] },
  },
  {
    name: 'an unknown tool',
    as: 'control',
    tool: 'hub.format_disk',
    code: 'tool_not_found',
    mcp: 'json_rpc',
    event: { tool_id: 'hub.format_disk', determining_rules: [] },
  },
  {
    name: 'a production target',
    as: 'production',
    tool: 'hub.restart_service',
    args: { service: 'web' },
    code: 'environment_forbidden',
    mcp: 'is_error',
    event: { determining_rules: ['environment.not_in_contract'] },
  },
  {
    name: 'a staging target',
    as: 'staging',
    tool: 'hub.restart_service',
    args: { service: 'web' },
    code: 'environment_forbidden',
    mcp: 'is_error',
  },
  {
    name: 'a disabled skill',
    as: 'disabled',
    tool: 'hub.get_status',
    code: 'skill_disabled',
    mcp: 'is_error',
    event: { determining_rules: ['surface.skill_disabled'] },
  },
  {
    name: 'a skill that is not installed',
    as: 'missing',
    tool: 'hub.get_status',
    code: 'skill_not_installed',
    mcp: 'is_error',
  },
  {
    name: 'a hub that never reported',
    as: 'silent',
    tool: 'hub.get_status',
    code: 'report_unverified',
    mcp: 'is_error',
  },
  {
    name: "another lease's target",
    as: 'control',
    tool: 'hub.get_status',
    args: { target_id: 'hub:prod-1' },
    code: 'target_forbidden',
    mcp: 'is_error',
  },
  {
    name: 'a target that does not exist looks the same',
    as: 'control',
    tool: 'hub.get_status',
    args: { target_id: 'hub:no-such' },
    code: 'target_forbidden',
    mcp: 'is_error',
  },
  {
    name: 'another zone in the header',
    as: 'control',
    tool: 'hub.get_status',
    headers: { 'x-adaos-zone': 'elsewhere' },
    code: 'zone_mismatch',
    mcp: 'is_error',
  },
  {
    name: 'another subnet in the header',
    as: 'control',
    tool: 'hub.get_status',
    headers: { 'x-adaos-subnet-id': 'elsewhere' },
    code: 'scope_mismatch',
    mcp: 'is_error',
  },
  {
    name: 'a service that is not on the allowlist',
    as: 'control',
    tool: 'hub.restart_service',
    args: { service: 'sshd' },
    code: 'forbidden',
    mcp: 'is_error',
    event: { determining_rules: ['surface.service_not_allowed'] },
  },
  {
    name: 'an argument the schema does not know',
    as: 'control',
    tool: 'hub.get_logs',
    args: { path: '/etc/passwd' },
    code: 'invalid_argument',
    mcp: 'is_error',
  },
  {
    name: 'a number sent as a string',
    as: 'control',
    tool: 'hub.get_logs',
    args: { tail: '50' },
    code: 'invalid_argument',
    mcp: 'is_error',
  },
  {
    name: 'arguments that are null',
    as: 'control',
    tool: 'hub.get_status',
    args: null,
    code: 'invalid_argument',
    mcp: 'json_rpc',
  },
  {
    name: 'arguments that are an array',
    as: 'control',
    tool: 'hub.get_status',
    args: [],
    code: 'invalid_argument',
    mcp: 'json_rpc',
  },
  {
    name: 'a revoked lease',
    as: 'revoked',
    tool: 'hub.get_status',
    code: 'lease_revoked',
    mcp: 'http_401',
    event: { event_type: 'auth.denied' },
  },
  {
    name: 'an expired lease',
    as: 'expired',
    tool: 'hub.get_status',
    code: 'lease_expired',
    mcp: 'http_401',
    event: { event_type: 'auth.denied' },
  },
  {
    name: 'no bearer',
    as: 'nobody',
    tool: 'hub.get_status',
    code: 'unauthenticated',
    mcp: 'http_401',
    event: { event_type: 'auth.denied', lease_id: null, actor: null },
  },
  {
    name: 'a bearer nobody issued',
    as: 'made_up',
    tool: 'hub.get_status',
    code: 'unauthenticated',
    mcp: 'http_401',
    event: { event_type: 'auth.denied' },
  },
];
