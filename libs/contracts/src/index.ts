export { isOwnBearer, MAX_BEARER } from './bearer.js';
export {
  Admission,
  ADMITTED_BY,
  AdmitRequest,
  SignInBegin,
  SignInEnd,
  SignInFinish,
  type Admitted,
  type SignedIn,
  type SignInBegun,
  type TrustFacts,
} from './nouns/admission.js';
export {
  CallCancelled,
  CallNamed,
  CallOutcome,
  DescriptorPublished,
  JournalAnswer,
  LeaseRevoked,
  PolicyChanged,
  RecordCompleted,
  TargetChanged,
} from './nouns/bus-event.js';
export {
  CONFIG_CLIENTS,
  BEARER_ENV,
  clientConfig,
  serverNameOf,
  SERVER_NAME_MAX,
  type ClientConfig,
  type ClientConfigInput,
  type ConfigClient,
} from './client-config.js';
export { canonicalJson, sha256, digestOf } from './digest.js';
export {
  ERRORS,
  OpError,
  toErrorBody,
  fromErrorBody,
  statusOfCode,
  type ErrorCode,
  type ErrorBody,
} from './errors.js';
export {
  CALL_STATUSES,
  ErrorShape,
  Redaction,
  Provenance,
  CallRequest,
  IdentifyRequest,
  LIST_PURPOSES,
  ListedRequest,
  MAX_STANDINGS,
  RefuseRequest,
  StandingRequest,
  type Identity,
  type Listed,
  type ListPurpose,
  type Standing,
  Envelope,
  ExecRequest,
  ExecReply,
  type CallStatus,
} from './nouns/call.js';
export {
  Descriptor,
  DESCRIPTOR_CLASSES,
  DESCRIPTOR_LEVELS,
  DescriptorHead,
  type DescriptorClass,
  type DescriptorLevel,
} from './nouns/descriptor.js';
export {
  PolicyFacts,
  PermitRequest,
  DecideRequest,
  Decision,
  Obligations,
  NO_OBLIGATIONS,
  OBLIGED_MASKS,
  obligationWords,
} from './nouns/decision.js';
export { POLICY_TEXT_MAX, PolicyVersion } from './nouns/policy-version.js';
export {
  CREDENTIAL_EVENTS,
  type CredentialEvent,
  RECORD_PHASES,
  EVENT_STATUSES,
  blankEvent,
  OperationalEvent,
  type StoredEvent,
} from './nouns/event.js';
export {
  pub,
  sensitive,
  secret,
  classOf,
  Timestamp,
  Nullable,
  Text,
  Count,
  Flag,
  List,
  OneOf,
  Json,
  type FieldClass,
} from './nouns/field.js';
export {
  Approval,
  APPROVAL_LIFE,
  APPROVAL_STATUSES,
  MAX_PENDING_APPROVALS,
  type ApprovalBinding,
} from './nouns/approval.js';
export {
  INPUT_KINDS,
  InputAsked,
  InputGiven,
  InputRequest,
  inputKindOf,
  type InputKind,
} from './nouns/input.js';
export { argumentForm, type ArgumentForm } from './tools/argument-form.js';
export { AUTH_METHODS, Grant } from './nouns/grant.js';
export { ACCESS_TOKEN_TTL, API_KEY_TTL, AccessToken, ApiKey, CredentialSummary } from './nouns/credential.js';
export { LEASE_TTL, SessionLease } from './nouns/lease.js';
export { Operator } from './nouns/operator.js';
export {
  SKILL_STATES,
  TARGET_STATUSES,
  HUB_ID,
  targetIdOf,
  hubIdOf,
  Skill,
  TargetPolicy,
  TargetRecord,
  HubReport,
  ManagedTarget,
} from './nouns/target.js';
export {
  SURFACES,
  SIDE_EFFECTS,
  ROUTING_CLASSES,
  ENVIRONMENTS,
  EXECUTORS,
  ROLES,
  ToolContract,
  isWrite,
  type PublishedTool,
} from './nouns/tool-contract.js';
export {
  RUN_KEPT_MS,
  RUN_STATUSES,
  RUN_VERBS,
  Run,
  RunView,
  StartedRun,
  type RunStatus,
  type RunVerb,
} from './nouns/run.js';
export { MAX_PROGRESS_MESSAGE, ProgressStep, ExecProgress, CallProgress } from './nouns/progress.js';
export { environmentsOf, neededFor, whoMay } from './needs.js';
export { compactFacts, expandFacts, toolFacts } from './policy-facts.js';
export { PLANES, type Plane, type PlaneId } from './planes.js';
export { PROFILES, profileOf, type Profile, type ProfileId } from './profiles.js';
export { registerPlane, type FurtherPlane } from './register-plane.js';
export { SCOPE_PROFILES } from './scope-profiles.js';
export { roleCapabilities, type Role } from './roles.js';
export { MAX_DEPTH, parseStrictJson } from './strict-json.js';
export { permissionsOf, subjectOf } from './subject-names.js';
export { BUS_USERS, SUBJECTS, AUDIT_STREAM, type BusUser, type SubjectId } from './subjects.js';
export { mcpNameOf, controlsOf, defineTool, type ToolSource } from './tools/define.js';
export { COMPLETIONS, type CompletionSource } from './completions.js';
export {
  isOffered,
  PROMPTS,
  promptText,
  toolsIn,
  type Prompt,
  type PromptArgument,
  type PromptStep,
} from './prompts.js';
export {
  matchUri,
  RESOURCE_KINDS,
  uriOf,
  variableOf,
  type ResourceKind,
  type ResourceListing,
} from './resources.js';
export { registerTools, TOOL_CONTRACTS, findTool, toolOf, toolsFor, type Tool } from './tools/registry.js';
export { OPERATORS_ONLY } from './tools/zone-access.js';
export { validator, matcher } from './validate.js';
