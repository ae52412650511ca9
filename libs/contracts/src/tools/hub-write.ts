import { Type } from 'typebox';
import { Flag, List, Nullable, Text } from '../nouns/field.js';
import { defineTool } from './define.js';
import { ServiceState } from './hub-read.js';

/** InfraOpsPlane bounded writes: journaled on the hub by request id before they act. */
export const HUB_WRITE_TOOLS = [
  defineTool({
    tool_id: 'hub.restart_service',
    title: 'Restart a service',
    summary:
      'Restarts one allowed service and waits until it stays up. With dry_run it says what would happen. ' +
      'The answer shows pid and state before and after.',
    surface: 'operations',
    plane_id: 'infra_ops',
    served_by: 'hub',
    side_effect_class: 'reversible_write',
    routing_class: 'operational_bounded_write',
    required_capability: 'hub.restart_service',
    dry_run: 'supported',
    task: 'optional',
    timeout_ms: 30_000,
    input: { service: Text(64, 'Name of the service, as in hub_get_status.') },
    output: {
      service: Text(64),
      dry_run: Flag(),
      would: List(Text(200), 10),
      before: ServiceState,
      after: Nullable(ServiceState),
      healthy: Nullable(Flag('stayed up through the observation window')),
      waited_ms: Type.Number(),
    },
  }),
];
