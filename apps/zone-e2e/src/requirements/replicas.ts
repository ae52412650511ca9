import { row, SCENARIOS, type Requirement } from './requirement.js';

const ADVISORIES = 'apps/zone-e2e/src/advisories.test.ts';
const TENANCY = 'apps/zone-e2e/src/tenancy.test.ts';

/** Replicas, tenancy, advisories. */
const DOOR: readonly Requirement[] = [
  row(
    'replicas.revoke',
    'Once the answer to a revoke is there, no facade or router serves the lease',
    'both',
    `${SCENARIOS}/replicas.suite.ts`,
    'once the answer to a revoke is there, no replica serves the lease',
  ),
  row(
    'replicas.lost_event',
    'A lost revocation event leaves no bearer alive beyond two seconds',
    'both',
    'apps/zone-e2e/src/split.test.ts',
    'a router that hears of no revocation serves a revoked lease for two seconds at most',
  ),
  row(
    'replicas.router_dies',
    'Who waits for a router that dies is told within seconds',
    'both',
    'apps/zone-e2e/src/split.test.ts',
    'the caller of a router that was killed is told within seconds, long before the tool’s time',
  ),
  row(
    'replicas.uses',
    '1,000 parallel uses of one lease over all facades and routers count 1,000',
    'both',
    `${SCENARIOS}/replicas.suite.ts`,
    '1,000 parallel uses of one lease count 1,000',
  ),
  row(
    'replicas.no_affinity',
    'Facades keep nothing of a client: requests of one conversation may go to any of them',
    'both',
    `${SCENARIOS}/replicas.suite.ts`,
    'what one facade issued another takes, in one conversation',
  ),
  row(
    'revoke.fenced',
    'A write that runs when its lease is taken back: hub told, caller answered without the result, the record waits for the outcome',
    'unit',
    'apps/zone-e2e/src/revocation.test.ts',
    'the caller of a write is answered as soon as its lease is gone, the hub is told, and the record waits for the truth',
  ),
  row(
    'advisories.session_id',
    'A session id of anybody opens nothing and changes nothing',
    'unit',
    ADVISORIES,
    'Mcp-Session-Id opens nothing and changes nothing: %s',
  ),
  row(
    'advisories.routing_input',
    'A client names no target by path, query or header',
    'unit',
    ADVISORIES,
    'no path, query or header leads to another target: %s %j',
  ),
  row(
    'advisories.forged',
    'Nothing but the bearer itself is a bearer',
    'unit',
    ADVISORIES,
    'no id, digest or part of a lease is a bearer',
  ),
  row(
    'advisories.canonical',
    'What is judged is what runs, however a message is spelt',
    'unit',
    ADVISORIES,
    'what is judged is what runs, however it is spelt: %s',
  ),
  row(
    'advisories.live_identity',
    'A replica that starts judges by who asks now',
    'unit',
    ADVISORIES,
    'a facade that starts anew knows who asks now, not who asked before',
  ),
  row(
    'load.no_mix_up',
    'Of 6,000 interleaved calls of 50 leases over shared connections each gets its own answer',
    'unit',
    'apps/zone-e2e/src/mixups.test.ts',
    'each answer is its caller’s: target, actor, marker and id, over shared connections and both eras',
  ),
  row(
    'load.cancel_stays_home',
    'A cancel with an id that another lease uses changes nothing there',
    'unit',
    'apps/zone-e2e/src/mixups.test.ts',
    'cancels of every other lease with the same id, on both facades, change nothing',
  ),
  row(
    'tenancy.streams',
    'What one tenant does wakes no stream of another',
    'unit',
    TENANCY,
    'what bravo does wakes no stream of alpha',
  ),
  row(
    'tenancy.foreign_is_unknown',
    'A bearer of one tenant gets the same answer for what is another’s and for what nobody has, at the same cost',
    'unit',
    TENANCY,
    'foreign and unknown are one: same answer, same headers, same number of messages behind the door',
  ),
  row(
    'tenancy.lists',
    'No list or read of one tenant names anything of another',
    'unit',
    TENANCY,
    'what alpha reads holds no name of bravo, and what bravo reads none of alpha',
  ),
  row(
    'tenancy.counts',
    'No count, place or total that one tenant reads tells what another does',
    'unit',
    TENANCY,
    'no number that alpha reads moves when bravo acts',
  ),
];

/** Field cases of protocol, leases and Redis: each has its test. */
const FIELD_CASES: readonly Requirement[] = [
  row(
    'field.f01',
    'Accept variants are served in a form the client takes; GET is 405',
    'unit',
    'apps/zonal-facade/src/mcp/endpoint.test.ts',
    'F01 Accept',
  ),
  row(
    'field.f02',
    'Bad versions and batches are refused before dispatch',
    'unit',
    'apps/zonal-facade/src/mcp/endpoint.test.ts',
    'F02 versions and batches',
  ),
  row(
    'field.f03',
    'A tool call as a notification is not run',
    'unit',
    'apps/zonal-facade/src/mcp/endpoint.test.ts',
    'F03 notifications',
  ),
  row(
    'field.f04',
    'Disconnect and cancel reach the call they name and no other',
    'unit',
    'apps/zonal-facade/src/mcp/cancel.test.ts',
    'F04 disconnect and cancel, fast path %s',
  ),
  row(
    'field.f05',
    'Bad Origin and Host are refused before auth work',
    'unit',
    'apps/zonal-facade/src/origin-gate.test.ts',
    'F05 Origin and Host',
  ),
  row(
    'field.f06',
    'Published names fit every client; both spellings are one tool',
    'unit',
    'apps/zonal-facade/src/mcp/tools-call.test.ts',
    'F06: the published name and the dotted id reach one tool, in both eras',
  ),
  row(
    'field.f07',
    'Probes get JSON, never HTML or a redirect',
    'unit',
    'apps/zonal-facade/src/mcp/endpoint.test.ts',
    'F07 probes and slashes',
  ),
  row(
    'field.f08',
    'Abandoned clients leave nothing behind',
    'unit',
    'apps/zonal-facade/src/mcp/sdk-path.test.ts',
    'F08: clients that initialize and vanish leave nothing under way',
  ),
  row(
    'field.f09',
    'Odd arguments are -32602 naming the field',
    'unit',
    'apps/zonal-facade/src/mcp/tools-call.test.ts',
    'F09: arguments as %s go to router as sent and are -32602',
  ),
  row(
    'field.f10',
    'A contract in another schema dialect is refused at load',
    'unit',
    'libs/contracts/src/contracts.test.ts',
    'F10: a contract with %s is refused at registration, on either side, with its reason',
  ),
  row(
    'field.f31',
    'Redis away: bounded per replica, never unlimited, heals alone',
    'unit',
    'libs/limits/src/redis.test.ts',
    'cut: degraded and bounded at once; restored: shared again without a restart',
  ),
  row(
    'field.f32',
    'Every wrong bearer gets the same 401',
    'unit',
    'apps/zonal-facade/src/mcp/bearer.test.ts',
    'F32 bearers',
  ),
];

/** Replicas, revocation, tenancy, advisories, field cases. */
export const REPLICAS: readonly Requirement[] = [...DOOR, ...FIELD_CASES];
