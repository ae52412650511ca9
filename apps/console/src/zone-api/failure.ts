/** An answer of the zone that is no result, or none at all (`unreachable`, `odd_answer`: codes of the console's own). */
export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly code: string,
    message: string,
    readonly facts: {
      readonly http?: number;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly trace_id?: string;
      readonly audit_event_id?: string;
    } = {},
  ) {
    super(message);
  }
}

/** Could the same request succeed by itself a moment later? */
export const passesByItself = (error: unknown): boolean =>
  error instanceof Failure &&
  ['unreachable', 'dependency_unavailable', 'rate_limited', 'audit_unavailable'].includes(error.code);

const asText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;

/** The failure that an answer tells of, or null for a result. Reads REST errors and the envelope of a call, which differ only in HTTP status. */
export function failureIn(http: number, body: unknown): Failure | null {
  const answer = asObject(body);
  if (!answer)
    return new Failure('odd_answer', `The zone answered, but not in JSON (HTTP ${http}).`, { http });
  if (answer['ok'] === true) return null;
  const error = asObject(answer['error']) ?? {};
  return new Failure(
    asText(error['code']) ?? 'odd_answer',
    asText(error['message']) ?? `The zone gave no reason (HTTP ${http}).`,
    {
      http,
      details: asObject(error['details']),
      trace_id: asText(answer['trace_id']),
      audit_event_id: asText(answer['audit_event_id']),
    },
  );
}
