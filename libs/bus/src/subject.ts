import { BusError, SUBJECT } from './port.js';

/** A subject or a pattern of ours is far shorter; NATS cuts the connection at 4,096 bytes a protocol line. */
const MAX_LENGTH = 256;

/** Like SUBJECT, with `*` for one whole token. `>` is no part of it: nobody needs to hear everything below a name. */
const PATTERN = /^([A-Za-z0-9_-]+|\*)(\.([A-Za-z0-9_-]+|\*))*$/;

/** Throws BusError bad_subject unless one literal subject is named. */
export function checkSubject(subject: string): void {
  if (subject.length > MAX_LENGTH || !SUBJECT.test(subject)) throw new BusError('bad_subject', subject);
}

/** Throws BusError bad_subject unless it is a subject in which whole tokens may be `*`. */
export function checkPattern(pattern: string): void {
  if (pattern.length > MAX_LENGTH || !PATTERN.test(pattern)) throw new BusError('bad_subject', pattern);
}

/**
 * Whether everything `pattern` can match is allowed by `allowed`: `a.*` covers `a.b` and `a.*`, `a.b` covers only itself.
 * With a literal `pattern` this is plain matching.
 */
export function covers(allowed: string, pattern: string): boolean {
  const wide = allowed.split('.');
  const narrow = pattern.split('.');
  return wide.length === narrow.length && wide.every((token, i) => token === '*' || token === narrow[i]);
}
