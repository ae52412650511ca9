import { toned, type Tone, type Toned } from './screen.js';

const TONES: Readonly<Record<string, Tone>> = {
  online: 'ok',
  healthy: 'ok',
  ok: 'ok',
  running: 'ok',
  enabled: 'ok',
  active: 'ok',
  allow: 'ok',
  approved: 'ok',
  succeeded: 'ok',
  degraded: 'warn',
  disabled: 'warn',
  installed: 'warn',
  expired: 'warn',
  open: 'warn',
  indeterminate: 'warn',
  cancelled: 'warn',
  require_approval: 'warn',
  approval_required: 'warn',
  pending: 'warn',
  rejected: 'bad',
  used: 'dim',
  starting: 'warn',
  stopping: 'warn',
  offline: 'bad',
  unhealthy: 'bad',
  missing: 'bad',
  revoked: 'bad',
  deny: 'bad',
  denied: 'bad',
  failed: 'bad',
  timed_out: 'bad',
  timeout: 'bad',
  crash_loop: 'bad',
  planned: 'dim',
  registered: 'dim',
  unknown: 'dim',
};

/** A state word of the wire in its colour; other words have none. */
export const stateWord = (word: string): Toned =>
  toned(Object.hasOwn(TONES, word) ? TONES[word]! : null, word);
