import { row, SCENARIOS, type Requirement } from './requirement.js';

const scenario = (id: string, must: string, title: string) =>
  row(id, must, 'both', `${SCENARIOS}/protocol.suite.ts`, title);
const MCP = 'apps/zonal-facade/src/mcp';

/** Lists, resources, prompts, completion, subscriptions, conformance. */
export const PROTOCOL: readonly Requirement[] = [
  scenario(
    'protocol.surface',
    'Resources, prompts and completion in both eras show what the lease may see',
    'resources, prompts and completion are those of the lease, %s',
  ),
  scenario(
    'protocol.read_governed',
    'Reading a resource is decided and recorded like a call; unknown, foreign and forbidden look alike',
    'a read is a governed call, on record; unknown, foreign and forbidden read alike',
  ),
  scenario(
    'protocol.streams',
    'subscriptions/listen tells of the lease’s own changes and ends with it',
    'a stream hears of its own target and lists, and ends with its lease',
  ),
  scenario(
    'protocol.descriptor_etag',
    'ETag of a descriptor is its content hash',
    'a descriptor is kept by its hash',
  ),
  row(
    'protocol.stream_lost_revocation',
    'A lost revocation event can not leave a stream open beyond two seconds',
    'unit',
    `${MCP}/listen.test.ts`,
    'a lost revocation leaves a stream open for one look, an expiry is seen the same way',
  ),
  row(
    'protocol.stream_caps',
    'Streams are capped per lease and per replica',
    'unit',
    `${MCP}/listen.test.ts`,
    'one lease has its cap, another its own',
  ),
  row(
    'protocol.keepalive',
    'Streams carry a comment at least every 20 s (F08)',
    'unit',
    `${MCP}/listen.test.ts`,
    'a comment keeps it open, well within the time idle lines are cut after (F08)',
  ),
  row(
    'protocol.conformance',
    'The official suite passes whole: 37 of 37 on 2026-07-28, 26 of 30 on 2025-11-25 with the session-bound four declared',
    'embedded',
    'apps/zone-e2e/src/conformance.test.ts',
    '%s: %i of %i required scenarios pass, and none fails that is not declared',
  ),
  row(
    'protocol.conformance_plane_not_deployed',
    'Production builds have no conformance plane',
    'embedded',
    'apps/zone-e2e/src/conformance.test.ts',
    'what is deployed has none of it',
  ),
  row(
    'protocol.prompt_tools',
    'A prompt names only tools the caller lists',
    'unit',
    'libs/contracts/src/resources.test.ts',
    'the text names only tools that are listed, by their MCP name',
  ),
  row(
    'protocol.fast_path',
    'The fast path answers what the SDK answers',
    'unit',
    `${MCP}/fast-path.differential.test.ts`,
    'the fast path answers what the SDK answers, status and body',
  ),
];
