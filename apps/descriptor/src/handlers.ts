import { execHandler, type BaseDeps, type ExecTable } from '@adaos/runtime';
import { describe, type DescribeOptions } from './describe.js';

/** Subject → function. The whole public face of the descriptor service. */
export const handlers = (
  options: DescribeOptions & Pick<BaseDeps, 'bus'> & { readonly plane_tools?: ExecTable },
) => ({
  descriptor_exec: execHandler(
    'root.descriptor_registry',
    { ...(describe(options) as ExecTable), ...options.plane_tools },
    options.bus,
  ),
});
