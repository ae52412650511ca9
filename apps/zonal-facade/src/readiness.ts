import type { RouterPort } from './router-port.js';

/** Is a router serving? Probes that come together share one question: they need no credential, so they must cost next to nothing. */
export function readiness(router: Pick<RouterPort, 'isServing'>): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  return () => (asking ??= router.isServing().finally(() => (asking = undefined)));
}
