/** A service can't be had or started, and whoever asked can do something about it: one sentence, printed without a stack. */
export class ServiceError extends Error {
  name = 'ServiceError';
}
