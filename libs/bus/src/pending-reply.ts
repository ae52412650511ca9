import { BusError, type BusFault, type RequestOptions } from './port.js';
import { readReply } from './reply.js';

/** The longest delay a timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * One request on its way: settles once, by reply, fault, deadline or the caller's signal, whichever is first. `onEnd` runs at that
 * moment, so that nothing remembers a request that nobody waits for.
 */
export class PendingReply {
  readonly promise: Promise<unknown>;
  #settled = false;
  #resolve!: (value: unknown) => void;
  #reject!: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.fail('aborted');

  constructor(
    readonly subject: string,
    readonly options: Pick<RequestOptions, 'timeout_ms' | 'signal'>,
    readonly onEnd?: (pending: PendingReply) => void,
    /** Turns the text of a reply into the value, or throws. */
    readonly read: (text: string) => unknown = readReply,
  ) {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.fail('timeout'), Math.min(options.timeout_ms, MAX_TIMER_MS));
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal?.aborted) this.fail('aborted');
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Takes the text of a reply; a late or second one is dropped, never handed to another call (field case F28). */
  readonly take = (text: string): void => {
    if (!this.#end()) return;
    try {
      this.#resolve(this.read(text));
    } catch (error) {
      this.#reject(error);
    }
  };

  fail(fault: BusFault): void {
    if (this.#end()) this.#reject(new BusError(fault, this.subject));
  }

  #end(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.options.signal?.removeEventListener('abort', this.#onAbort);
    this.onEnd?.(this);
    return true;
  }
}
