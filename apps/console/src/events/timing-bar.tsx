import type { StoredEvent } from '@adaos/contracts';
import { sayMs } from '../text/time.js';
import { timingParts } from '../text/timings.js';

/** Where the time of a call went. The numbers say all that the bar shows. */
export function TimingBar({ timings }: { timings: StoredEvent['timings'] }) {
  const timing = timingParts(timings);
  if (!timing) return <p className="hint">It is still running.</p>;
  const { total_ms, adapter_ms, parts } = timing;
  return (
    <>
      <div className="timing-bar" aria-hidden="true">
        {total_ms > 0 &&
          parts.map(({ name, ms }) => (
            <span key={name} className={`timing-part timing-${name}`} style={{ flexGrow: ms }} />
          ))}
      </div>
      <dl className="timing-legend">
        {parts.map(({ name, ms }) => (
          <div key={name}>
            <dt>
              <span className={`timing-key timing-${name}`} aria-hidden="true" />
              {name}
            </dt>
            <dd>{sayMs(ms)}</dd>
          </div>
        ))}
        {adapter_ms !== null && (
          <div>
            <dt>of it the adapter</dt>
            <dd>{sayMs(adapter_ms)}</dd>
          </div>
        )}
        <div className="timing-total">
          <dt>in all</dt>
          <dd>{sayMs(total_ms)}</dd>
        </div>
      </dl>
    </>
  );
}
