/** The form a client can read: JSON where it may, an SSE frame where it takes only those (field case F01). */
export type Form = 'json' | 'sse';

const JSON_RANGES = new Set(['application/json', 'application/*', '*/*']);
const SSE_RANGES = new Set(['text/event-stream', 'text/*', '*/*']);

const rangesOf = (accept: string): string[] =>
  accept.split(',').flatMap((part) => {
    const [range = '', ...params] = part.split(';').map((piece) => piece.trim().toLowerCase());
    // q=0 means "not this one" (RFC 9110, section 12.4.2).
    return params.some((param) => /^q=0(\.0*)?$/.test(param)) ? [] : [range];
  });

/** The form of the answer to a POST, or null when the client takes neither (406). No Accept at all takes anything. */
export function acceptedForm(accept: string | undefined): Form | null {
  if (accept === undefined || accept.trim() === '') return 'json';
  const ranges = rangesOf(accept);
  if (ranges.some((range) => JSON_RANGES.has(range))) return 'json';
  return ranges.some((range) => SSE_RANGES.has(range)) ? 'sse' : null;
}

/** Does the client say that it reads SSE? An answer turns into a stream only then: silence is no promise to parse one. */
export const acceptsSse = (accept: string | undefined): boolean =>
  accept !== undefined && rangesOf(accept).some((range) => SSE_RANGES.has(range));
