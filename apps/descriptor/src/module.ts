import { subjectOf } from '@adaos/contracts';
import { serveAll, type BaseDeps, type Module } from '@adaos/runtime';
import { descriptors, type Build } from './descriptors.js';
import { handlers } from './handlers.js';

export interface DescriptorDeps extends BaseDeps {
  readonly build: Build;
}

/** Contract, plane and profile registries, served from root alone. */
export const descriptor: Module<DescriptorDeps> = {
  name: 'descriptor',
  async start(deps) {
    const { zone, bus, build, clock, log } = deps;
    const stop = serveAll(bus, 'descriptor', handlers({ zone, bus, build, now: clock.now }));
    // A new build may describe itself differently: whoever keeps a copy compares the hash.
    try {
      for (const { descriptor_id, content_hash } of descriptors({ build, now: clock.now }).list())
        bus.publish(subjectOf('descriptor_published'), { descriptor_id, content_hash });
    } catch {
      log.info('descriptors were not announced: the bus is away');
    }
    return stop;
  },
};
