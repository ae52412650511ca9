export { systemClock, type Clock } from './clock.js';
export { ConfigError, loadConfig, printableConfig } from './config.js';
export { randomIds, type IdPrefix, type Ids } from './ids.js';
export { createLog, silentLog, type Log } from './log.js';
export { stopAll, type BaseDeps, type Module, type Stop } from './module.js';
export { traceIdOf, traceparentOf } from './traceparent.js';
