/** Who speaks on the bus. `hub` is one user per hub id, `service` any other AdaOS service with an access token of its own (D14). */
export const BUS_USERS = [
  'facade',
  'router',
  'session',
  'policy',
  'descriptor',
  'audit',
  'hub',
  'service',
] as const;
export type BusUser = (typeof BUS_USERS)[number];

interface SubjectRow {
  /** `<hub_id>` stands for one token. */
  readonly subject: string;
  readonly kind: 'request' | 'event' | 'stream';
  readonly from: readonly BusUser[];
  readonly to: readonly BusUser[];
  readonly summary: string;
}

const row = (
  kind: SubjectRow['kind'],
  subject: string,
  from: readonly BusUser[],
  to: readonly BusUser[],
  summary: string,
): SubjectRow => ({ subject, kind, from, to, summary });

const ROOT: readonly BusUser[] = ['facade', 'router', 'session', 'policy', 'descriptor', 'audit'];

/** The one subject table: broker permissions, AsyncAPI and the reference page are generated from it. */
export const SUBJECTS = {
  router_call: row(
    'request',
    'mcp.v1.root.router.call',
    ['facade', 'service'],
    ['router'],
    'one governed call',
  ),
  router_start_run: row(
    'request',
    'mcp.v1.root.router.start_run',
    ['facade'],
    ['router'],
    'one governed call that may go on as a run',
  ),
  router_run: row(
    'request',
    'mcp.v1.root.router.run',
    ['facade'],
    ['router'],
    'what became of a run; ends it',
  ),
  router_list_tools: row(
    'request',
    'mcp.v1.root.router.list_tools',
    ['facade', 'service'],
    ['router'],
    'tools a bearer may see',
  ),
  router_identify: row(
    'request',
    'mcp.v1.root.router.identify',
    ['facade', 'service'],
    ['router'],
    'bearer digest → who it is',
  ),
  router_listed: row(
    'request',
    'mcp.v1.root.router.listed',
    ['facade'],
    ['router'],
    'ids of the tools a bearer may see, for lists of another kind',
  ),
  router_standing: row(
    'request',
    'mcp.v1.root.router.standing',
    ['facade'],
    ['router'],
    'do these bearers still hold, and what do they list',
  ),
  router_refuse: row(
    'request',
    'mcp.v1.root.router.refuse',
    ['facade'],
    ['router'],
    'record a request that never became a call',
  ),
  router_exec: row(
    'request',
    'mcp.v1.root.router.exec',
    ['router'],
    ['router'],
    'run a tool served by router',
  ),
  session_resolve: row(
    'request',
    'mcp.v1.root.session.resolve',
    ['router'],
    ['session'],
    'bearer digest → grant',
  ),
  session_epoch: row(
    'request',
    'mcp.v1.root.session.epoch',
    ['router'],
    ['session'],
    'revocation epoch of the zone',
  ),
  session_exec: row(
    'request',
    'mcp.v1.root.session.exec',
    ['router'],
    ['session'],
    'run a tool served by session',
  ),
  policy_decide: row(
    'request',
    'mcp.v1.root.policy.decide',
    ['router'],
    ['policy'],
    'facts → decision and permit',
  ),
  policy_revision: row(
    'request',
    'mcp.v1.root.policy.revision',
    ['router'],
    ['policy'],
    'revision of the policies in force',
  ),
  policy_exec: row(
    'request',
    'mcp.v1.root.policy.exec',
    ['router'],
    ['policy'],
    'run a tool served by policy',
  ),
  descriptor_exec: row(
    'request',
    'mcp.v1.root.descriptor.exec',
    ['router'],
    ['descriptor'],
    'run a tool served by descriptor',
  ),
  audit_exec: row('request', 'mcp.v1.root.audit.exec', ['router'], ['audit'], 'run a tool served by audit'),
  audit_find: row(
    'request',
    'mcp.v1.root.audit.find',
    ['router', 'policy'],
    ['audit'],
    'one event by its id or that of its decision',
  ),
  audit_decisions: row(
    'request',
    'mcp.v1.root.audit.decisions',
    ['policy'],
    ['audit'],
    'decided calls with the facts they were decided by',
  ),
  audit_orphans: row(
    'request',
    'mcp.v1.root.audit.orphans',
    ['router'],
    ['audit'],
    'writes opened and never closed',
  ),
  hub_exec: row('request', 'mcp.v1.to_hub.<hub_id>.exec', ['router'], ['hub'], 'run a tool on the hub'),
  hub_cancel: row(
    'request',
    'mcp.v1.to_hub.<hub_id>.cancel',
    ['router'],
    ['hub'],
    'stop what runs for a request',
  ),
  hub_control: row(
    'request',
    'mcp.v1.to_hub.<hub_id>.control',
    ['router'],
    ['hub'],
    'skill state, journal questions',
  ),
  hub_report: row(
    'request',
    'mcp.v1.to_root.<hub_id>.report',
    ['hub'],
    ['router'],
    'heartbeat with the published surface',
  ),
  hub_event: row(
    'request',
    'mcp.v1.to_root.<hub_id>.event',
    ['hub'],
    ['router'],
    'outcome that came after its deadline',
  ),
  hub_progress: row(
    'event',
    'mcp.v1.to_root.<hub_id>.progress',
    ['hub'],
    ['router'],
    'how far a call on that hub has come',
  ),
  exec_progress: row(
    'event',
    'mcp.v1.event.exec.progress',
    ['router', 'session', 'policy', 'descriptor', 'audit'],
    ['router'],
    'how far a call served by root has come',
  ),
  call_progress: row(
    'event',
    'mcp.v1.event.call.progress',
    ['router'],
    ['facade'],
    'how far a call has come, for the replica that holds it',
  ),
  call_cancelled: row(
    'event',
    'mcp.v1.event.call.cancelled',
    ['facade', 'router'],
    ['router'],
    'nobody waits for a call any more',
  ),
  call_sought: row('event', 'mcp.v1.event.call.sought', ['facade'], ['router'], 'who still has this call'),
  call_held: row('event', 'mcp.v1.event.call.held', ['router'], ['facade'], 'a router still has that call'),
  call_cancel_asked: row(
    'event',
    'mcp.v1.event.call.cancel_asked',
    ['facade'],
    ['facade'],
    'a client cancels a call that any replica may hold',
  ),
  call_cancel_held: row(
    'event',
    'mcp.v1.event.call.cancel_held',
    ['facade'],
    ['facade'],
    'how many such calls a replica holds',
  ),
  call_outcome: row(
    'event',
    'mcp.v1.event.call.outcome',
    ['router'],
    ['router'],
    'the hub told what became of a call',
  ),
  lease_revoked: row(
    'event',
    'mcp.v1.event.lease.revoked',
    ['session'],
    ['router', 'facade'],
    'drop the grant now',
  ),
  target_changed: row(
    'event',
    'mcp.v1.event.target.changed',
    ['router'],
    ['router', 'facade'],
    'reload the target now',
  ),
  policy_changed: row(
    'event',
    'mcp.v1.event.policy.changed',
    ['policy'],
    ['router', 'facade', 'policy'],
    'drop cached decisions, load the newest policies now',
  ),
  descriptor_published: row(
    'event',
    'mcp.v1.event.descriptor.published',
    ['descriptor'],
    ['facade'],
    'a descriptor is served, under this content hash',
  ),
  record_completed: row(
    'event',
    'mcp.v1.event.record.completed',
    ['audit'],
    ['facade'],
    'an event that was answered without its outcome now has it',
  ),
  audit_record: row('stream', 'mcp.v1.audit.<source>', ROOT, ['audit'], 'records on their way to the table'),
} as const satisfies Record<string, SubjectRow>;

export type SubjectId = keyof typeof SUBJECTS;

/** JetStream stream behind `mcp.v1.audit.*`: file storage, message-id dedupe. */
export const AUDIT_STREAM = 'MCP_AUDIT';
