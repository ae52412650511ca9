import { row, SCENARIOS, type Requirement } from './requirement.js';

const TENANCY = 'apps/zone-e2e/src/tenancy.test.ts';

/** Replicas, tenancy, advisories. */
export const REPLICAS: readonly Requirement[] = [
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
