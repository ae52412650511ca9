import type { Bus } from '@adaos/bus';
import { MAX_PROGRESS_MESSAGE, subjectOf, type ProgressStep } from '@adaos/contracts';
import { redactText } from '@adaos/redact';
import type { Log } from '@adaos/runtime';

/** Tells root how far the call of an event has come. Never throws: a lost step costs nothing. */
export type TellProgress = (event_id: string, step: ProgressStep) => void;

/** Steps go out as events, masked like everything that leaves the hub; root holds them to order and rate. */
export function progressTeller({ bus, hub_id, log }: { bus: Bus; hub_id: string; log: Log }): TellProgress {
  const subject = subjectOf('hub_progress', hub_id);
  return (event_id, { message, ...numbers }) => {
    try {
      const text = message && redactText(message).text.slice(0, MAX_PROGRESS_MESSAGE);
      bus.publish(subject, { event_id, ...numbers, ...(text && { message: text }) });
    } catch (error) {
      log.debug({ err: error, event_id }, 'a progress step was not sent');
    }
  };
}
