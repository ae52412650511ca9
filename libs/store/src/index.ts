export { approvalRows, type ApprovalFilter, type ApprovalRows, type NewApproval } from './approvals.js';
export {
  admissionRows,
  type AdmissionFilter,
  type AdmissionRevoked,
  type AdmissionRows,
  type NewAdmission,
} from './admissions.js';
export { GENESIS_HASH, chainHash } from './chain.js';
export { checkIdentifier, connectStore, type Store, type StoreOptions } from './connect.js';
export { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.js';
export { inTransaction, storeFault, type AnySql, type Sql } from './fault.js';
export {
  CREDENTIAL_KINDS,
  type Credential,
  type CredentialKind,
  type LeaseScope,
  type NewLease,
} from './credential.js';
export { leaseActor, type Maker } from './lease-revocation.js';
export {
  leaseRows,
  type FamilyEnd,
  type LeaseFilter,
  type LeaseRows,
  type LeaseSummary,
  type LeaseUsage,
  type Rotation,
} from './leases.js';
export { MIGRATIONS, migrate, type Migration } from './migrate.js';
export {
  bootstrapOperatorId,
  operatorRows,
  type OperatorChange,
  type OperatorFilter,
  type OperatorRows,
} from './operators.js';
export { policyRows, type NewPolicyVersion, type PolicyRows, type PolicyVersionRow } from './policies.js';
export { isInstant, pageOf, type Page } from './page.js';
export {
  deadLetters,
  openOrphans,
  queryRecords,
  readChain,
  type ChainLink,
  type DeadLetter,
  type EventRow,
  type RecordFilter,
} from './record-query.js';
export { insertRecords, type Appended, type RecordInput, type RecordPhase } from './records.js';
export { runRows, type NewRun, type RunRows, type RunScope, type StoredRun } from './runs.js';
export { StoreStartError } from './start-error.js';
export {
  targetRows,
  type TargetFilter,
  type TargetReport,
  type TargetRow,
  type TargetRows,
} from './targets.js';
export { packCursor, storableJson, storableText } from './text.js';
export { openStore, openStoreLater } from './open.js';
