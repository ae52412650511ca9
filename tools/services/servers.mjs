// For programs: private servers on ports of their own, whatever the standard ports hold. The command lines are up.mjs and down.mjs.
export { ensurePostgres } from './ensure-postgres.mjs';
export { startNats } from './nats.mjs';
export { startPostgres } from './postgres.mjs';
export { startRedis } from './redis.mjs';
export { ServiceError } from './service-error.mjs';
