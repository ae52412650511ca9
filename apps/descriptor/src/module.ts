import { serveAll, type BaseDeps, type Module } from '@adaos/runtime';
import type { DescribeOptions } from './describe.js';
import { handlers } from './handlers.js';

export interface DescriptorDeps extends BaseDeps {
  readonly build: DescribeOptions['build'];
}

/** Contract, plane and profile registries, served from root alone. */
export const descriptor: Module<DescriptorDeps> = {
  name: 'descriptor',
  async start(deps) {
    return serveAll(deps.bus, 'descriptor', handlers(deps));
  },
};
