import { BusError, type Bus } from '@adaos/bus';
import { OpError, subjectOf, type SubjectId } from '@adaos/contracts';

/**
 * Asks a root service that a call needs before anything is done. Its silence is a part of the zone being away, not the tool being slow:
 * the caller must not read that an outcome is in the record. Throws OpError(dependency_unavailable), or what the service threw.
 */
export async function askRoot<T>(bus: Bus, id: SubjectId, body: unknown, timeout_ms: number): Promise<T> {
  try {
    return await bus.request<T>(subjectOf(id), body, { timeout_ms });
  } catch (error) {
    if (error instanceof BusError)
      throw new OpError('dependency_unavailable', { dependency: id.split('_')[0] });
    throw error;
  }
}
