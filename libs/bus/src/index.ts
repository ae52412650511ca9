export {
  BUS_FAULTS,
  BusError,
  SUBJECT,
  type Bus,
  type BusFault,
  type BusHeaders,
  type ConsumeOptions,
  type RequestOptions,
  type Served,
  type ServeContext,
  type ServeOptions,
  type StreamMessage,
  type Subscription,
} from './port.js';
export { inboxPrefixOf, userNameOf } from './permissions.js';
export { type BusLog } from './serve.js';
