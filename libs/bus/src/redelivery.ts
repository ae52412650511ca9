const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/** Pause in milliseconds before a failed batch is handed over again: doubles from 100 ms, at most 10 s, the same on both buses. */
export const redeliveryDelay = (failures: number): number =>
  Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 20), LONGEST_MS);

/** Appends of one message id within this time are one message, on both buses. */
export const DEDUPE_WINDOW_MS = 120_000;
