import { OpError, roleCapabilities, TOOL_CONTRACTS, type ExecRequest, type Operator } from '@adaos/contracts';
import type { OperatorFilter } from '@adaos/store';
import { checkHolds, grantOf } from './issue.js';
import { newBearer, type SessionParts } from './parts.js';

const capabilitiesOf = (role: Operator['role']) => roleCapabilities(role, TOOL_CONTRACTS);

/** Makes an operator; its token is in the answer and nowhere else. */
export async function createOperator(
  parts: SessionParts,
  { name, role }: Pick<Operator, 'name' | 'role'>,
  request: ExecRequest,
) {
  const maker = grantOf(request);
  checkHolds(maker, capabilitiesOf(role));
  const { bearer, token_hmac } = newBearer(parts, 'adm');
  const operator = await parts.operators
    .create(
      {
        operator_id: parts.ids.next('opr'),
        token_hmac,
        name,
        role,
        zone: parts.zone,
        created_by: request.actor,
      },
      maker,
    )
    .catch((error: unknown) => {
      if (error instanceof OpError && error.code === 'conflict')
        throw new OpError('conflict', { path: '/name' }, 'An operator of that name exists.');
      throw error;
    });
  parts.journal.operator('created', operator.operator_id, request, { name, role });
  return { operator, token: bearer };
}

export async function listOperators(
  { operators, zone }: SessionParts,
  { operator_id, ...filter }: OperatorFilter & { operator_id?: string },
) {
  if (operator_id !== undefined) {
    const one = await operators.get(zone, operator_id);
    return { operators: one ? [one] : [], next_cursor: null };
  }
  const { items, next_cursor } = await operators.list(zone, filter);
  return { operators: items, next_cursor };
}

/** Role and state, at once on every replica; what the operator may no longer hold itself ends where it was handed out. */
export async function setOperator(
  parts: SessionParts,
  args: { operator_id: string; role?: Operator['role']; disabled?: boolean },
  request: ExecRequest,
) {
  const { operators, zone, journal } = parts;
  const before = await operators.get(zone, args.operator_id);
  if (!before) throw noSuchOperator();
  const role = args.role ?? before.role;
  const disabled = args.disabled ?? before.status === 'disabled';
  checkHolds(grantOf(request), capabilitiesOf(role));
  if (role !== before.role) checkNotConfigured(parts, before);
  const change = await operators.set(zone, args.operator_id, {
    role,
    disabled,
    holds: capabilitiesOf(role),
    by: request.actor,
    maker: grantOf(request),
  });
  if (!change) throw noSuchOperator();
  const { operator, epoch, ended, changed } = change;
  // Not final: the operator may come back, and its token is then to open again.
  journal.announce(operator.operator_id, null, epoch, { final: false, ends_calls: disabled });
  for (const one of ended) {
    journal.announce(one.session_id, one.target_id, epoch);
    journal.revoked(one, request);
  }
  if (changed) {
    const { name, status } = operator;
    journal.operator('changed', operator.operator_id, request, { name, role, status, ended: ended.length });
  }
  return { operator, ended_count: ended.length };
}

export async function rotateOperator(
  parts: SessionParts,
  { operator_id }: { operator_id: string },
  request: ExecRequest,
) {
  const { operators, zone, journal } = parts;
  const before = await operators.get(zone, operator_id);
  if (!before) throw noSuchOperator();
  checkNotConfigured(parts, before);
  const { bearer, token_hmac } = newBearer(parts, 'adm');
  const replaced = await operators.replaceToken(zone, operator_id, token_hmac, grantOf(request));
  if (!replaced) throw noSuchOperator();
  journal.announce(operator_id, null, replaced.epoch, { final: false });
  journal.operator('rotated', operator_id, request, { name: before.name });
  return { operator: replaced.operator, token: bearer };
}

const noSuchOperator = () =>
  new OpError('invalid_argument', { path: '/operator_id' }, 'No such operator in this zone.');

/** The next start would undo it: its token and role are the configuration's to change. */
function checkNotConfigured({ configured_operator_id }: SessionParts, { operator_id }: Operator): void {
  if (operator_id === configured_operator_id) {
    throw new OpError(
      'conflict',
      { operator_id, rule: 'configured' },
      'The configuration sets the token and role of this operator (BOOTSTRAP_OPERATOR_SHA256).',
    );
  }
}
