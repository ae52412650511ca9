export { testClock, type TestClock } from './clock.js';
export { countingIds } from './ids.js';
export { until } from './until.js';
export { testStore } from './store.js';
