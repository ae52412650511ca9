import { BusError, type Bus, type Subscription } from '@adaos/bus';
import { OpError, subjectOf, type SubjectId } from '@adaos/contracts';
import type { Log } from '@adaos/runtime';

/**
 * Asks a root service that a call needs before anything is done, and checks what it answers. Its silence is a part of the zone being away,
 * not the tool being slow: the caller must not read that an outcome is in the record. Throws OpError(dependency_unavailable), or what the
 * service threw.
 */
export async function askRoot<T>(
  bus: Bus,
  id: SubjectId,
  body: unknown,
  bound: { timeout_ms: number; check: (answer: unknown) => T },
): Promise<T> {
  const dependency = id.split('_')[0];
  let answer: unknown;
  try {
    answer = await bus.request(subjectOf(id), body, { timeout_ms: bound.timeout_ms });
  } catch (error) {
    if (error instanceof BusError) throw new OpError('dependency_unavailable', { dependency });
    throw error;
  }
  try {
    return bound.check(answer);
  } catch {
    throw new OpError('dependency_unavailable', { dependency, reason: 'answer_breaks_contract' });
  }
}

/** Hears an event and checks its body; one that breaks its contract is logged and left. */
export const hear = <T>(
  bus: Bus,
  id: SubjectId,
  check: (body: unknown) => T,
  log: Log,
  act: (event: T) => void,
): Subscription =>
  bus.subscribe(subjectOf(id), (body) => {
    let event: T;
    try {
      event = check(body);
    } catch {
      log.warn({ event: id }, 'an event breaks its contract');
      return;
    }
    act(event);
  });
