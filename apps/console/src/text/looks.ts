import type { Approval, ConfigClient, ManagedTarget, SessionLease, StoredEvent } from '@adaos/contracts';

/** How a state looks: never by colour alone, each tone has a sign of its own. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

export interface Look {
  readonly label: string;
  readonly tone: Tone;
}

const look = (label: string, tone: Tone): Look => ({ label, tone });

/** Complete by type: a new state of the contracts needs a look here. */
export const EVENT_LOOKS: Record<StoredEvent['status'], Look> = {
  succeeded: look('succeeded', 'good'),
  denied: look('denied', 'warn'),
  failed: look('failed', 'bad'),
  timed_out: look('timed out', 'bad'),
  cancelled: look('cancelled', 'quiet'),
  approval_required: look('needs approval', 'busy'),
  input_required: look('asked for input', 'quiet'),
  open: look('running', 'busy'),
  indeterminate: look('unknown outcome', 'bad'),
};

export const TARGET_LOOKS: Record<ManagedTarget['status'], Look> = {
  online: look('online', 'good'),
  degraded: look('degraded', 'warn'),
  offline: look('offline', 'bad'),
  registered: look('registered', 'quiet'),
  planned: look('planned', 'quiet'),
  unknown: look('unknown', 'quiet'),
};

export const SKILL_LOOKS: Record<ManagedTarget['operational_surface']['skill']['state'], Look> = {
  enabled: look('enabled', 'good'),
  disabled: look('disabled', 'warn'),
  installed: look('installed, not enabled', 'quiet'),
  missing: look('not installed', 'quiet'),
};

export const LEASE_LOOKS: Record<SessionLease['status'], Look> = {
  active: look('active', 'good'),
  expired: look('expired', 'quiet'),
  revoked: look('revoked', 'warn'),
};

export const APPROVAL_LOOKS: Record<Approval['status'], Look> = {
  pending: look('pending', 'busy'),
  approved: look('approved', 'good'),
  rejected: look('rejected', 'bad'),
  used: look('used', 'quiet'),
  expired: look('expired', 'quiet'),
};

export const DECISION_LOOKS: Record<NonNullable<StoredEvent['policy_decision']>, Look> = {
  allow: look('allowed', 'good'),
  deny: look('denied', 'warn'),
  require_approval: look('needs approval', 'busy'),
};

/** States of a supervised service; an agent newer than this console may know more. */
export const SERVICE_LOOKS: Readonly<Record<string, Look>> = {
  running: look('running', 'good'),
  starting: look('starting', 'busy'),
  stopping: look('stopping', 'busy'),
  stopped: look('stopped', 'quiet'),
  crash_loop: look('crash loop', 'bad'),
};

/** MCP clients that a configuration can be written for, in the order they are offered. */
export const CLIENT_NAMES: Record<ConfigClient, string> = {
  codex: 'Codex',
  'claude-code': 'Claude Code',
  vscode: 'VS Code',
  cursor: 'Cursor',
  inspector: 'Inspector',
};

/** Kinds of event that this build of the zone writes, offered as filters. */
export const EVENT_TYPES: readonly string[] = ['tool.call', 'tool.list', 'auth.denied', 'call.refused'];

/** The look of a state by name; a state this console does not know is shown as it came. */
export const lookOf = (looks: Readonly<Record<string, Look>>, state: string): Look =>
  Object.hasOwn(looks, state) ? looks[state]! : look(state, 'quiet');
