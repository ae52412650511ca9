import { row, SCENARIOS, type Requirement } from './requirement.js';

const inForce = (id: string, must: string, title: string) =>
  row(id, must, 'embedded', 'apps/zone-e2e/src/policies.test.ts', title);
const asked = (id: string, must: string, title: string) =>
  row(id, must, 'embedded', 'apps/zone-e2e/src/policy-questions.test.ts', title);
const away = (id: string, must: string, title: string) =>
  row(id, must, 'embedded', 'apps/zone-e2e/src/policy-down.test.ts', title);
const unit = (id: string, must: string, file: string, title: string) => row(id, must, 'unit', file, title);
const both = (id: string, must: string, title: string) =>
  row(id, must, 'both', `${SCENARIOS}/policies.suite.ts`, title);

const ENGINE = 'libs/policy-engine/src/decide.property.test.ts';
const LOAD = 'libs/policy-engine/src/compile.test.ts';
const ACTIVE = 'apps/policy/src/active-policies.test.ts';

/** Zone policies, explanations, test, diff, replay. */
export const POLICY: readonly Requirement[] = [
  both(
    'policy.everywhere',
    'A version, and a rollback by id, reach every replica within two seconds',
    'a new version is in force on every replica within two seconds, and so is the way back',
  ),
  both(
    'policy.explained',
    'The caller reads what would be needed, the operator which policy and which fact',
    'the caller reads what would be needed, the operator which fact decided, the lease no more than it was told',
  ),
  both(
    'policy.mcp',
    'Over MCP a policy denial is a result with isError',
    'over MCP the same sentence, as a result and no protocol error',
  ),
  both(
    'policy.validated',
    'A text is validated before it loads, faults named by line',
    'a text with a fault is refused by line and changes nothing',
  ),
  unit(
    'policy.faults',
    'Every fault is named by its line',
    LOAD,
    'every fault is told, each by its line, whatever characters stand before it',
  ),
  inForce(
    'policy.files',
    'Zone policies as files',
    'files of the zone are in force beside its version, and read again when they change',
  ),
  inForce(
    'policy.lost_event',
    'A lost event leaves an old policy no longer than 2 s',
    'a lost event leaves an old policy no longer than two seconds',
  ),
  inForce(
    'policy.obligations',
    'Obligations are enforced',
    'obligations are enforced: masks, size of the result, rate',
  ),
  inForce(
    'policy.no_lock_out',
    'Policies do not lock out who changes them',
    'a policy can not lock out those who change it',
  ),
  unit(
    'policy.never_widens',
    'A zone policy never widens',
    ENGINE,
    'it never allows what the guards alone refuse',
  ),
  unit(
    'policy.permit_grants_nothing',
    'A zone permit grants nothing',
    ENGINE,
    'a permit that slipped past every check still grants nothing',
  ),
  unit(
    'policy.missing_capability',
    'A missing capability is never allowed',
    ENGINE,
    'a capability or tool that is not held is never allowed',
  ),
  unit(
    'policy.tenancy',
    'A differing tenant is always denied',
    ENGINE,
    'another zone, subnet or target than the credential’s is always denied',
  ),
  unit(
    'policy.unknown_denies',
    'Anything missing or unknown denies',
    ENGINE,
    'a fact that is missing, or of another kind, denies',
  ),
  unit(
    'policy.memo',
    'Memoised by the exact input digest',
    ENGINE,
    'any one changed fact changes the key, the credential’s id does not',
  ),
  unit(
    'policy.last_good_start',
    'Last good at a start while the store is away',
    ACTIVE,
    'a start while the database is away goes by what was in force before',
  ),
  unit(
    'policy.bad_version',
    'A bad version never becomes active',
    ACTIVE,
    'a version that does not load never counts, at start or later',
  ),
  unit(
    'policy.no_memory',
    'Without any policies everything is denied',
    ACTIVE,
    'without a database and without a memory of it, everything is denied',
  ),
  unit(
    'policy.versions',
    'Versions are append-only',
    'libs/store/src/policies.suite.ts',
    'a version can not be changed or taken away',
  ),
  asked('policy.diff', 'Who gains or loses what between two versions', 'a comparison tells who loses what'),
  asked(
    'policy.test',
    'Cases run on active or proposed texts',
    'a table of cases runs on a proposed text; broken cases are told',
  ),
  asked(
    'policy.explain',
    'A decision is explained by event or decision id',
    'a recorded decision is explained by event or decision id, and by what is in force now',
  ),
  asked(
    'policy.replay',
    'Recorded decisions are replayed',
    'recorded calls are decided again by a proposed text',
  ),
  asked(
    'policy.subnet',
    'An operator of one subnet reads no decisions of another',
    'an operator of one subnet explains and replays its own, and sets no rules for the others',
  ),
  unit(
    'policy.guide',
    'Infra teams test policies without a zone',
    'apps/cli/src/commands/policy-guide.test.ts',
    'the worked example of the guide is what the commands answer',
  ),
  away('policy.down', 'Policy down: deny', 'by default everything is denied, also what was allowed before'),
  away(
    'policy.down_reads',
    'Policy down: decided root-local descriptive reads go on where the zone says so',
    'where the zone says so, decided reads of root’s own descriptions go on and are recorded as such',
  ),
];
