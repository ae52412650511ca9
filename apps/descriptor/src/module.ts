import { subjectOf } from '@adaos/contracts';
import { serveAll, type BaseDeps, type ExecTable, type Module } from '@adaos/runtime';
import { descriptors, type Build } from './descriptors.js';
import { handlers } from './handlers.js';

export interface DescriptorDeps extends BaseDeps {
  readonly build: Build;
  /** Tools of further planes that this process serves too; what is deployed has none. */
  readonly plane_tools?: ExecTable;
}

/** Contract, plane and profile registries, served from root alone. */
export const descriptor: Module<DescriptorDeps> = {
  name: 'descriptor',
  async start(deps) {
    const { zone, bus, build, clock, log, plane_tools } = deps;
    const options = { zone, bus, build, now: clock.now, ...(plane_tools && { plane_tools }) };
    const stop = serveAll(bus, 'descriptor', handlers(options));
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
