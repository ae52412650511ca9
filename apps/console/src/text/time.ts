const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago or ahead, in one unit: `12 s ago`, `in 4 h`. An unreadable time stays as it came. */
export function relativeTime(iso: string, now: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const ahead = at > now;
  const distance = Math.abs(at - now);
  if (distance < 2 * SECOND) return 'now';
  const text = span(distance, ahead ? Math.round : Math.floor);
  return ahead ? `in ${text}` : `${text} ago`;
}

function span(distance: number, round: (value: number) => number): string {
  if (distance < MINUTE) return `${round(distance / SECOND)} s`;
  if (distance < 2 * HOUR) return `${round(distance / MINUTE)} min`;
  if (distance < 2 * DAY) return `${round(distance / HOUR)} h`;
  return `${round(distance / DAY)} d`;
}

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const DATE = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;

/** Clock time where the operator is, with the date unless it is today: `14:03:22`, `2026-10-01 14:03:22`. */
export function clockTime(iso: string, now: number, time_zone?: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  // Swedish writes dates as ISO 8601 does.
  const format = (value: number, parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('sv-SE', { ...parts, timeZone: time_zone }).format(value);
  const today = format(at, DATE) === format(now, DATE);
  return format(at, today ? CLOCK : { ...DATE, ...CLOCK });
}

/** `4 h`, `30 min`: a length as it is said, in the largest unit that holds it exactly. */
export function sayDuration(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const;
  for (const [unit, size] of units) {
    if (seconds >= size && seconds % size === 0) return `${seconds / size} ${unit}`;
  }
  return `${seconds} s`;
}

/** `0.4 ms`, `12 ms`, `3.1 s`. */
export function sayMs(ms: number): string {
  if (ms < 1) return ms === 0 ? '0 ms' : `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
