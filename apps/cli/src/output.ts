import type { Config } from './config.js';
import type { Failure, FailureFacts } from './failure.js';
import type { Io } from './io.js';
import { printableJson } from './screen/printable.js';
import { createScreen, toned, type Screen } from './screen/screen.js';

/** `text` for people, `json` for one document, `ndjson` for a document per line. */
export type Mode = 'text' | 'json' | 'ndjson';

export interface Output {
  readonly mode: Mode;
  readonly screen: Screen;
  /** Remarks next to the output; not with --json. */
  readonly remark: (text: string) => void;
  /** The whole machine output, or with ndjson one line of it. */
  readonly document: (value: unknown) => void;
  /** Tells why the command ends as it does. */
  readonly failure: (failure: Failure) => void;
}

export interface OutputOptions {
  readonly mode: Mode;
  /** From --no-color. */
  readonly color: boolean;
  readonly config: Pick<Config, 'NO_COLOR' | 'TERM'>;
}

export function createOutput({ stdout, stderr }: Io, { mode, color, config }: OutputOptions): Output {
  const wanted = color && config.NO_COLOR === undefined && config.TERM !== 'dumb';
  const errors = createScreen(stderr, wanted && stderr.columns !== undefined);
  const json = (value: unknown) => printableJson(value, mode === 'json' ? 2 : undefined) + '\n';
  return {
    mode,
    screen: createScreen(stdout, wanted && stdout.columns !== undefined),
    remark: (text) => {
      if (mode === 'text') errors.wrapped(toned('dim', text));
    },
    document: (value) => stdout.write(json(value)),
    failure: ({ facts }) => {
      if (mode === 'text') return tellFailure(errors, facts);
      // A stream of events must hold nothing else.
      (mode === 'json' ? stdout : stderr).write(json(facts.document ?? errorDocument(facts)));
    },
  };
}

const errorDocument = ({
  code,
  message,
  details,
  next,
  request_id,
  trace_id,
  audit_event_id,
}: FailureFacts) => ({
  ok: false,
  error: { code, message, details, next },
  request_id,
  trace_id,
  audit_event_id,
});

function tellFailure(screen: Screen, facts: FailureFacts): void {
  const { code, message, next, details, trace_id, audit_event_id } = facts;
  const own = code === 'usage' || code === 'interrupted';
  screen.wrapped([toned('bad', 'error:'), message, ...(own ? [] : [toned('dim', `(${code})`)])], { hang: 7 });
  const note = (label: string, text: string) =>
    screen.wrapped(text, { indent: 2, hang: 10, label: toned('dim', label) });
  for (const line of detailLines(details)) note('detail', line);
  if (next) note('next', next);
  if (audit_event_id) note('event', `adaosctl events show ${audit_event_id}`);
  else if (trace_id) note('trace', trace_id);
}

// Told in the sentence already, or in the next step.
const TOLD = new Set(['path', 'rule', 'property', 'retry_after_ms']);

const detailLines = (details: FailureFacts['details']): string[] =>
  Object.entries(details ?? {})
    .filter(([name]) => !TOLD.has(name))
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.map(say).join(', ') : say(value)}`);

const say = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
