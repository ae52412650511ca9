const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago or ahead, in one unit: `2 min ago`, `in 4 h`; a date beyond two months. Unreadable times stay as they came. */
export function relativeTime(iso: string, now: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const ahead = at > now;
  const distance = Math.abs(at - now);
  if (distance < 5 * SECOND) return ahead ? 'now' : 'just now';
  if (distance > 60 * DAY) return iso.slice(0, 10);
  const text = span(distance, ahead ? Math.round : Math.floor);
  return ahead ? `in ${text}` : `${text} ago`;
}

function span(distance: number, round: (value: number) => number): string {
  if (distance < MINUTE) return `${round(distance / SECOND)} s`;
  if (distance < HOUR) return `${round(distance / MINUTE)} min`;
  if (distance < 2 * DAY) return `${round(distance / HOUR)} h`;
  return `${round(distance / DAY)} d`;
}

/** Clock time where the operator is: `2026-10-01 14:03:22`, or the time alone. */
export function localTime(
  iso: string,
  time_zone: string | undefined,
  part: 'full' | 'clock' = 'full',
): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  // Swedish writes dates as ISO 8601 does.
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('sv-SE', {
    ...(part === 'full' && date),
    ...clock,
    timeZone: time_zone,
  }).format(at);
}

const DURATION = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?$/;

/** Milliseconds of `30s`, `4h`, `1h30m`, `2d`, `200ms` or bare seconds; null when it is none. */
export function parseDuration(text: string): number | null {
  const ms = /^(\d{1,9})ms$/.exec(text);
  if (ms) return Number(ms[1]);
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const match = text === '' ? null : DURATION.exec(text);
  if (!match) return null;
  const [days, hours, minutes, seconds] = match.slice(1).map((digits) => Number(digits ?? 0));
  return days! * DAY + hours! * HOUR + minutes! * MINUTE + seconds! * SECOND;
}

/** `4 h`, `90 s`: a length as it is said, exact where one unit holds it. */
export function sayDuration(seconds: number): string {
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const) {
    if (seconds >= size && seconds % size === 0) return `${seconds / size} ${unit}`;
  }
  return `${seconds} s`;
}
