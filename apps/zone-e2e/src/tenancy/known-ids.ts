/** Arguments that name something of somebody. */
const NAMES = /(^|_)(id|ids|uri|cursor)$|_ref$|^actor$/;

/** They name parts of the build or of the zone, which is the same for every tenant. */
const OF_THE_BUILD = /(^|_)(tool|plane|profile|contract|descriptor|build)_id$/;

/** One thing under several names. */
const SAME = [
  ['session_id', 'lease_id', 'grant_id'],
  ['run_id', 'task_id'],
  ['event_id', 'audit_event_id', 'cause_event_id'],
] as const;

export const namesSomething = (argument: string): boolean =>
  NAMES.test(argument) && !OF_THE_BUILD.test(argument);

/** What a tenant's own answers call things, by the name of the field. */
export class KnownIds {
  readonly #found = new Map<string, Set<string>>();

  constructor(seed: Readonly<Record<string, string>>) {
    this.learn(seed);
  }

  /** Takes every named value of an answer. */
  learn(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) this.learn(one);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === 'string' && namesSomething(nameIn(name))) this.#add(nameIn(name), member);
        else this.learn(member);
      }
  }

  /** The first value of that name, or undefined. */
  get(argument: string): string | undefined {
    const names = SAME.find((same) => (same as readonly string[]).includes(argument)) ?? [argument];
    for (const name of names) for (const value of this.#found.get(name) ?? []) return value;
    return undefined;
  }

  all(): string[] {
    return [...new Set([...this.#found.values()].flatMap((values) => [...values]))];
  }

  #add(name: string, value: string): void {
    const values = this.#found.get(name) ?? new Set();
    this.#found.set(name, values.add(value));
  }
}

// MCP writes taskId where we write task_id, and puts a domain before what is ours.
const nameIn = (field: string) => {
  const name = field.slice(field.lastIndexOf('/') + 1);
  return /^next_?cursor$/i.test(name)
    ? 'cursor'
    : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
};

const LOWER = 'bcdfghjkmnpqrstvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '23456789';

/** An id of the same shape that nobody has: letters for letters, digits for digits, its prefix kept. A cursor is opened and its parts changed. */
export function unlike(value: string): string {
  const parts = openCursor(value);
  if (parts)
    return Buffer.from(
      JSON.stringify(parts.map((part) => (typeof part === 'string' && !isTime(part) ? unlike(part) : part))),
    ).toString('base64url');
  const prefix = /^[a-z]{2,4}[:_]/.exec(value)?.[0] ?? '';
  const one = (letters: string) => letters[Math.floor(Math.random() * letters.length)]!;
  // Hex and Crockford base32 stay what they are: digits are in both.
  const hex = /^[0-9a-f]{16,}$/.test(value);
  const rest = [...value.slice(prefix.length)].map((char) => {
    if (hex) return one('0123456789abcdef');
    if (/[a-z]/.test(char)) return one(LOWER);
    if (/[A-Z]/.test(char)) return one(UPPER);
    return /\d/.test(char) ? one(DIGITS) : char;
  });
  return prefix + rest.join('');
}

function openCursor(value: string): unknown[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(value, 'base64url').toString());
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text);
