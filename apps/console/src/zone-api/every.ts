import { passesByItself } from './failure.js';

/** Reads again every `ms`, but not what the zone refused: the same question would be refused again, and stand in the record each time. */
export const every =
  (ms: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error !== null && !passesByItself(state.error) ? false : ms;
