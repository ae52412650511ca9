import type { Migration } from '../migrate.js';

export const leaseIssuers: Migration = {
  name: '0005_lease_issuers',
  // A revocation looks for what the lease issued, generation by generation.
  up: () => `create index leases_by_issuer on leases (issued_by);`,
};
