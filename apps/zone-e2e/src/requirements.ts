import { CALLS } from './requirements/calls.js';
import { CLIENTS } from './requirements/clients.js';
import { EDGE } from './requirements/edge.js';
import { IDENTITY } from './requirements/identity.js';
import { POLICY } from './requirements/policy.js';
import { PROTOCOL } from './requirements/protocol.js';
import { SESSIONS } from './requirements/sessions.js';
import { SPINE } from './requirements/spine.js';
import { REPLICAS } from './requirements/replicas.js';
import type { Requirement } from './requirements/requirement.js';

/** Every "must", by area; requirements.test.ts lists rows without a test. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...SPINE,
  ...PROTOCOL,
  ...CALLS,
  ...SESSIONS,
  ...IDENTITY,
  ...POLICY,
  ...EDGE,
  ...CLIENTS,
  ...REPLICAS,
];
