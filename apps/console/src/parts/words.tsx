import { Fragment, useSyncExternalStore } from 'react';
import { printable } from '../text/printable.js';
import { clockTime, relativeTime } from '../text/time.js';

const TICK_MS = 5_000;
let now = Date.now();
const listeners = new Set<() => void>();
// One clock for the page: times that stand side by side never disagree.
setInterval(() => {
  if (document.hidden) return;
  now = Date.now();
  listeners.forEach((listener) => listener());
}, TICK_MS);

/** The time, told anew every few seconds. */
const useNow = (): number =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );

/** A moment, as a distance or on the clock; the whole of it in the title. */
export function Time({ at, as = 'relative' }: { at: string; as?: 'relative' | 'clock' }) {
  const tick = useNow();
  // An event may be newer than the last tick.
  const moment = Math.max(tick, as === 'relative' && Date.parse(at) <= Date.now() ? Date.parse(at) : 0);
  return (
    <time dateTime={at} title={at}>
      {as === 'relative' ? relativeTime(at, moment) : clockTime(at, moment)}
    </time>
  );
}

/** A text from outside: shown as it is, nothing in it hides or reorders what stands around it. */
export const Text = ({ children }: { children: string }) => <bdi>{printable(children)}</bdi>;

const ID = /^[a-z]+_[0-9A-Z]{12,}$/;

/** An id or a name of the wire; a long name breaks after a dot or an underscore, where a reader would. */
export const Code = ({ children }: { children: string }) => (
  <code>
    {printable(children)
      .split(ID.test(children) ? /$^/ : /(?<=[._:])/)
      .map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
  </code>
);

/** What stands where nothing is known. */
export const None = ({ children = '–' }: { children?: string }) => <span className="none">{children}</span>;
