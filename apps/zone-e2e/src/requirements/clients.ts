import { row, type Requirement } from './requirement.js';

const TENANCY = 'apps/zone-e2e/src/tenancy.test.ts';

/** Replicas, tenancy, advisories. */
const REPLICAS: readonly Requirement[] = [
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

/** Real clients, replicas, tenancy. */
export const CLIENTS: readonly Requirement[] = [...REPLICAS];
