import { approvals } from './scenarios/approvals.suite.js';
import { calls } from './scenarios/calls.suite.js';
import { clients } from './scenarios/clients.suite.js';
import { firstCall } from './scenarios/first-call.suite.js';
import { kills } from './scenarios/kills.suite.js';
import { leases } from './scenarios/leases.suite.js';
import { protocol } from './scenarios/protocol.suite.js';
import { refusals } from './scenarios/refusals.suite.js';
import { replicas } from './scenarios/replicas.suite.js';
import { secrets } from './scenarios/secrets.suite.js';
import type { ZoneUnderTest } from './zone-under-test.js';

/** Every scenario, the same for both topologies; the one that kills processes comes last. */
export const allScenarios = (zone: () => ZoneUnderTest): void => {
  for (const scenario of [
    firstCall,
    calls,
    refusals,
    leases,
    approvals,
    clients,
    replicas,
    secrets,
    protocol,
    kills,
  ])
    scenario(zone);
};
