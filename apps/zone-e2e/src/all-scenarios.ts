import { access } from './scenarios/access.suite.js';
import { approvals } from './scenarios/approvals.suite.js';
import { calls } from './scenarios/calls.suite.js';
import { claudeCode } from './scenarios/claude-code.suite.js';
import { clients } from './scenarios/clients.suite.js';
import { codex } from './scenarios/codex.suite.js';
import { firstCall } from './scenarios/first-call.suite.js';
import { kills } from './scenarios/kills.suite.js';
import { leases } from './scenarios/leases.suite.js';
import { policies } from './scenarios/policies.suite.js';
import { protocol } from './scenarios/protocol.suite.js';
import { refusals } from './scenarios/refusals.suite.js';
import { replicas } from './scenarios/replicas.suite.js';
import { replayedClients } from './scenarios/replayed-clients.suite.js';
import { secrets } from './scenarios/secrets.suite.js';
import type { ZoneUnderTest } from './zone-under-test.js';

const CLIENTS = [clients, replayedClients, claudeCode, codex];

/** Every scenario, the same for both topologies; the one that kills processes comes last. */
export const allScenarios = (zone: () => ZoneUnderTest): void => {
  for (const scenario of [
    firstCall,
    calls,
    refusals,
    leases,
    access,
    approvals,
    ...CLIENTS,
    policies,
    replicas,
    secrets,
    protocol,
    kills,
  ])
    scenario(zone);
};
