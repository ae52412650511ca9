import type { Migration } from '../migrate.js';

export const bootstrapOperators: Migration = {
  name: '0006_bootstrap_operators',
  // The configured operator had one id for all zones of a database. Its row goes to the zone that has it; without this the zone's new row would
  // break the token's unique key. The same rule as bootstrapOperatorId: an id holds 64 characters.
  up: () => `
    update operators set operator_id = 'opr_bootstrap_' ||
      case when length(zone) <= 50 then zone else left(encode(sha256(convert_to(zone, 'UTF8')), 'hex'), 50) end
    where operator_id = 'opr_bootstrap';
  `,
};
