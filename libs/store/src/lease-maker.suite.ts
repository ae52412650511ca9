import { randomBytes } from 'node:crypto';
import type { NewLease } from './credential.js';
import { leaseRows } from './leases.js';
import { leaseActor } from './lease-revocation.js';
import type { StoreBench } from './store.suite.js';

/** What the clock of `rows` says. */
export const NOW = '2026-05-01T12:00:00.000Z';

/** Makes leases with ids and tokens of their own, live at NOW. */
export function leaseMaker(bench: StoreBench) {
  const clock = { now: () => new Date(NOW) };
  const rows = (sql: Parameters<typeof leaseRows>[0] = bench.store.sql) => leaseRows(sql, clock);
  const lease = (over: Partial<NewLease> = {}): NewLease => ({
    session_id: bench.id('lse'),
    token_hmac: randomBytes(32),
    zone: 'zone-a',
    subnet_id: 'subnet-1',
    target_id: 'hub:one',
    audience: 'adaos-root-mcp',
    actor: 'agent:codex',
    issued_by: 'operator:ann',
    issuer_id: 'idp:ann',
    capability_profile: 'InfraOpsRead',
    profile_version: 3,
    capabilities: ['hub.read.status', 'hub.read.logs'],
    allowed_tools: ['hub.get_status'],
    created_at: '2026-05-01T10:00:00.123Z',
    deadline_at: '2026-05-01T14:00:00.123Z',
    ttl_seconds: 14_400,
    note: 'nightly run',
    ...over,
  });
  /** A family under an issuer, larger than one transaction ends: 1,500 siblings, the first of a line of 20, and a lease below each tenth. */
  const largeFamily = async (issuer_id: string, zone: string): Promise<string[]> => {
    const made: NewLease[] = [];
    const make = (issuer: string) => {
      made.push(lease({ zone, issuer_id: issuer }));
      return made.at(-1)!.session_id;
    };
    const siblings = Array.from({ length: 1_500 }, () => make(issuer_id));
    let last = siblings[0]!;
    for (let i = 0; i < 20; i++) last = make(last);
    siblings.filter((_, i) => i % 10 === 0).forEach(make);
    for (let i = 0; i < made.length; i += 500)
      await bench.store.sql`insert into leases ${bench.store.sql(made.slice(i, i + 500))}`;
    return made.map((one) => one.session_id);
  };
  /** A lease that another issues. */
  const under = (issuer: { session_id: string; zone: string }, over: Partial<NewLease> = {}) =>
    lease({
      zone: issuer.zone,
      issued_by: leaseActor(issuer.session_id),
      issuer_id: issuer.session_id,
      ...over,
    });
  /** Rotates as an outside operator does, with nothing left of the old one. */
  const rotate = (session_id: string, next: NewLease, until = NOW, sql?: Parameters<typeof rows>[0]) =>
    rows(sql).rotate(
      session_id,
      { by: 'operator:ann', reason: 'rotated', until, maker: { grant_id: 'idp:ann', role: null } },
      next,
    );
  return { largeFamily, rows, lease, under, rotate };
}
