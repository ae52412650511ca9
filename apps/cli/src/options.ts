import { InvalidArgumentError } from 'commander';
import { hubIdOf, targetIdOf } from '@adaos/contracts';
import { parseDuration } from './screen/time.js';

/** A duration option in milliseconds. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('Write a duration like 30s, 90m, 4h or 2d.');
  return ms;
}

/** A span in seconds, within what the zone gives; `said` is the sentence for one outside. */
export const lifetime =
  ({ min, max }: { min: number; max: number }, said: string) =>
  (text: string): number => {
    const seconds = durationMs(text) / 1000;
    if (!Number.isInteger(seconds) || seconds < min || seconds > max) throw new InvalidArgumentError(said);
    return seconds;
  };

/** A whole number from `min` to `max`. */
export const count =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value < min || value > max)
      throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
    return value;
  };

/** A target as typed: `hub:demo`, or `demo` for short. */
export function targetId(text: string): string {
  const target_id = text.includes(':') ? text : targetIdOf(text);
  if (hubIdOf(target_id) === null) {
    throw new InvalidArgumentError('A target is hub:<id>, the id of letters, digits, _ and -.');
  }
  return target_id;
}

/** A time option: RFC 3339, or how long ago. Needs the clock, so it is made with it. */
export const instant =
  (now: () => number) =>
  (text: string): string => {
    const ago = parseDuration(text);
    const at = ago === null ? Date.parse(text) : now() - ago;
    if (Number.isNaN(at) || Math.abs(at) > 8.64e15) {
      throw new InvalidArgumentError('Write a time like 2026-10-01T12:00:00Z, or how long ago, like 2h.');
    }
    return new Date(at).toISOString();
  };
