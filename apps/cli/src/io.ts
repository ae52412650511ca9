/** Everything the program touches of its process, so that a test can be one. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** IANA zone that clock times are shown in; undefined: the machine's. */
  readonly time_zone?: string;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Resolves after `ms`, or early when the program is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** A fresh request id. */
  readonly newRequestId: () => string;
}

export interface Sink {
  readonly write: (text: string) => void;
  /** Columns of the terminal; undefined when this is not one: then nothing is cut. */
  readonly columns?: number;
}
