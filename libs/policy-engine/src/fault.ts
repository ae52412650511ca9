/** One thing that is wrong with a policy text. `line` counts from 1; 0 when the fault is of the whole. */
export interface PolicyFault {
  readonly file: string;
  readonly line: number;
  readonly rule_id: string | null;
  readonly message: string;
}

/** Faults told at once; the rest would be followers of the first. */
const MAX_FAULTS = 50;

/** A policy that does not parse, does not fit the schema or breaks the rules for its origin stops the load: last good stays (D6). */
export class PolicyLoadError extends Error {
  override readonly name = 'PolicyLoadError';
  readonly faults: readonly PolicyFault[];
  constructor(faults: readonly PolicyFault[]) {
    super(faults.slice(0, MAX_FAULTS).map(faultText).join('; '));
    this.faults = faults.slice(0, MAX_FAULTS);
  }
}

/** `file:line: message`. */
export const faultText = ({ file, line, message }: PolicyFault): string =>
  `${file}${line > 0 ? `:${line}` : ''}: ${message}`;

/** A fault of the whole, without a line. */
export const wholeFault = (file: string, message: string): PolicyLoadError =>
  new PolicyLoadError([{ file, line: 0, rule_id: null, message }]);
