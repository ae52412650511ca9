import { row, SCENARIOS, type Requirement } from './requirement.js';

const LEASES = 'libs/store/src/leases.suite.ts';
const FAMILIES = 'libs/store/src/lease-families.suite.ts';
const OPERATORS = 'libs/store/src/operator-changes.suite.ts';
const ROTATION = 'apps/session/src/rotation.test.ts';
const CREDENTIALS = 'apps/session/src/credentials.test.ts';
const SPINE = 'apps/zone-e2e/src/access.test.ts';
const unit = (id: string, must: string, file: string, title: string) => row(id, must, 'unit', file, title);
const spine = (id: string, must: string, title: string) => row(id, must, 'embedded', SPINE, title);
const both = (id: string, must: string, title: string) =>
  row(id, must, 'both', `${SCENARIOS}/access.suite.ts`, title);

/** Leases, tokens, operators, keys. */
export const SESSIONS: readonly Requirement[] = [
  unit(
    'rotate.one_live',
    'Ten racing rotations and revokes leave at most one live bearer',
    LEASES,
    'ten racing rotations and revokes leave at most one live bearer',
  ),
  both(
    'rotate.overlap',
    'A rotation gives a new bearer; the old one works for its overlap, and a revoke ends both',
    'a rotated lease has a new bearer at once, and an old one for its overlap',
  ),
  unit(
    'rotate.no_more_time',
    'A rotation never outlives its issuer',
    ROTATION,
    'a lease rotates itself, keeps its issuer, and can not give itself more time',
  ),
  unit(
    'rotate.no_escalation',
    'A rotation hands nobody a bearer that holds more than they do',
    ROTATION,
    'a lease can not rotate one that holds more, and learns no bearer that outlives it',
  ),
  unit(
    'revoke.line',
    'A revoke reaches what any bearer of the line had issued',
    FAMILIES,
    'what the line of a lease issued ends with whichever bearer of the line is revoked',
  ),
  row(
    'lease.use_count',
    '1,000 parallel uses of one lease count 1,000',
    'embedded',
    'apps/zone-e2e/src/spine.test.ts',
    '1,000 parallel calls of one lease leave 1,000 events and count 1,000 uses',
  ),
  unit(
    'lease.use_count_routers',
    'Use counting loses nothing across routers and redelivery',
    'apps/audit/src/audit.test.ts',
    '1,000 parallel uses of one lease count 1,000, through several routers and a broker that delivers twice',
  ),
  unit(
    'lease.swept',
    'Expiry is swept: told to replicas and recorded, once, without long timers',
    ROTATION,
    'ends that time brings are told and recorded once each, by a look every few seconds',
  ),
  unit(
    'lease.fenced',
    'Tenants are fenced in the statements themselves',
    LEASES,
    'a scope is part of the statement: what is outside is neither read, counted nor ended',
  ),
  spine(
    'tenant.blind',
    'A bearer of tenant A learns nothing about B from any list, count, id, event or error',
    'a key of tenant A learns nothing of B: not by list, count, id, event or error',
  ),
  both(
    'token.native',
    'A native client gets root URL, subnet, token and zone; its headers may narrow, never widen',
    'a native client gets URL, zone, subnet and token, and its headers only narrow',
  ),
  unit(
    'key.rotation',
    'The hash key can be replaced while bearers live',
    CREDENTIALS,
    'keys that hash: under a new one the old bearers go on, and stay when the old one is gone',
  ),
  both(
    'operator.ends',
    'A disabled operator is out on every replica, with what it issued',
    'an operator comes, makes what it may, goes, and takes it along',
  ),
  unit(
    'operator.last_admin',
    'The last admin can not be disabled or demoted',
    OPERATORS,
    'of admins who remove one another at once, one stays',
  ),
  unit(
    'operator.no_late_issue',
    'Who was disabled or demoted hands nothing out any more',
    OPERATORS,
    'who was disabled or demoted meanwhile hands nothing out any more',
  ),
  spine(
    'operator.in_flight',
    'A change of an operator reaches calls that run',
    'an operator who is disabled, demoted or given a new token is judged anew at once, also in flight',
  ),
  unit(
    'api_key.within_maker',
    'A key can never do more than who made it',
    CREDENTIALS,
    'do never more than who made them: not at first, and not after a demotion',
  ),
];
