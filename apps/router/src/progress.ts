import type { Bus } from '@adaos/bus';
import { ExecProgress, subjectOf, validator } from '@adaos/contracts';
import { stopAll, type Log, type Stop } from '@adaos/runtime';
import { hear } from './ask.js';
import { hubIdIn } from './hub-messages.js';
import type { InFlight } from './in-flight.js';

const checkStep = validator<ExecProgress>(ExecProgress);

/**
 * Steps that executors report reach the call they name only if that call runs here and was sent to that very executor: the hub stands in
 * the subject the broker let it publish on (D2), so no hub can speak for another's call, and none for a call of root.
 */
export function hearProgress({ bus, in_flight, log }: { bus: Bus; in_flight: InFlight; log: Log }): Stop {
  return stopAll([
    bus.subscribe(subjectOf('hub_progress', '*'), (body, subject) => {
      const hub_id = hubIdIn(subject);
      let step: ExecProgress;
      try {
        step = checkStep(body);
      } catch {
        log.warn({ hub_id }, 'a progress event breaks its contract');
        return;
      }
      if (hub_id !== null) in_flight.progress(hub_id, step.event_id, step);
    }),
    hear(bus, 'exec_progress', checkStep, log, (step) => in_flight.progress(null, step.event_id, step)),
  ]);
}
