import { OpError } from './errors.js';

export interface Profile {
  readonly profile_id: string;
  readonly version: number;
  readonly title: string;
  readonly summary: string;
  readonly capabilities: readonly string[];
}

const SDK_READ = ['sdk.read.metadata', 'sdk.read.schemas', 'sdk.read.capability_classes'] as const;
const OPERATIONS_READ = [
  'operations.list_managed_targets',
  'operations.get_managed_target',
  'operations.list_recent_events',
] as const;
const INFRA_READ = [
  'hub.get_status',
  'hub.get_runtime_summary',
  'hub.get_operational_surface',
  'hub.get_activity_log',
  'hub.get_logs',
  'hub.run_healthchecks',
  ...OPERATIONS_READ,
] as const;
const LEASE_ADMIN = [
  'hub.issue_mcp_session',
  'hub.list_mcp_sessions',
  'hub.revoke_mcp_session',
  'hub.rotate_mcp_session',
  'hub.issue_access_token',
  'hub.list_access_tokens',
  'hub.revoke_access_token',
  'hub.get_status',
] as const;

const profile = (
  profile_id: string,
  title: string,
  summary: string,
  capabilities: readonly string[],
  version = 1,
): Profile => ({
  profile_id,
  version,
  title,
  summary,
  capabilities,
});

/** Named bundles of capabilities: what a lease is issued with. A change of the list needs a new `version`. */
export const PROFILES = {
  SdkRead: profile(
    'SdkRead',
    'Read the development surface',
    'Contracts, schemas and capability classes; no target.',
    SDK_READ,
  ),
  InfraOpsRead: profile(
    'InfraOpsRead',
    'Look at a hub',
    'Status, logs, health checks and the record of one target.',
    INFRA_READ,
  ),
  InfraOpsControl: profile(
    'InfraOpsControl',
    'Operate a test hub',
    'All of InfraOpsRead, and restart of allowed services.',
    [...INFRA_READ, 'hub.restart_service'],
  ),
  LeaseAdmin: profile(
    'LeaseAdmin',
    'Manage the leases of a hub',
    'Issue, list, rotate and revoke leases and access tokens of one target.',
    LEASE_ADMIN,
    2,
  ),
  AuditRead: profile('AuditRead', 'Read the record', 'Recent events and activity of one target.', [
    'operations.list_recent_events',
    'hub.get_activity_log',
  ]),
} as const;
export type ProfileId = keyof typeof PROFILES;

/** The profile of that name; an unknown one is an error, never a default (upstream defect D4). */
export function profileOf(profile_id: string): Profile {
  if (!Object.hasOwn(PROFILES, profile_id)) {
    throw new OpError(
      'invalid_argument',
      { path: '/capability_profile', known: Object.keys(PROFILES) },
      'Unknown capability profile.',
    );
  }
  return PROFILES[profile_id as ProfileId];
}
