import type { ReactNode } from 'react';
import { href } from '../route.js';
import { ownAdviceFor } from '../text/advice.js';
import { Failure } from '../zone-api/failure.js';
import { Link } from './link.js';
import { Code, Text } from './words.js';

/** Grey lines where something will stand. They appear late, so that a quick answer does not flash. */
export const Loading = ({ lines = 4, what }: { lines?: number; what: string }) => (
  <div className="loading" role="status">
    <span className="unseen">Loading {what}</span>
    {Array.from({ length: lines }, (_, line) => (
      <span className="loading-line" aria-hidden="true" key={line} />
    ))}
  </div>
);

/** Nothing there: says so, and what would put something there. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {children && <p>{children}</p>}
  </div>
);

interface FailureNoteProps {
  readonly error: unknown;
  /** What was wanted: “The targets could not be read.” */
  readonly title: string;
  readonly retry?: () => void;
}

/** Why something could not be shown or done, what to do about it, and the way to its record. */
export function FailureNote({ error, title, retry }: FailureNoteProps) {
  const failure = error instanceof Failure ? error : new Failure('console', 'The console itself failed.');
  const { code, message, facts } = failure;
  return (
    <div className="failure" role="alert">
      <p className="failure-title">{title}</p>
      <p>
        <Text>{message}</Text> {ownAdviceFor(code)}
      </p>
      <p className="failure-facts">
        <Code>{code}</Code>
        {facts.trace_id && <Link to={href(['events'], { trace: facts.trace_id })}>See it in the record</Link>}
        {retry && (
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </div>
  );
}
