import { redactValue } from '@adaos/redact';
import { controlsOf, findTool, hubIdOf, isWrite, OpError, targetIdOf, toolOf } from '@adaos/contracts';
import type { CallRequest, Grant, ManagedTarget, PermitRequest, Tool, ToolContract } from '@adaos/contracts';
import { stepUpFor } from './step-up.js';
import { holdsSecret, type EventDraft } from './draft.js';
import type { Targets } from './targets.js';

/** Unknown and not granted read the same to the caller; the record keeps them apart (contracts.md, "Rulings"). */
export function grantedTool(grant: Grant, name: string, draft: EventDraft): Tool {
  const known = findTool(name);
  if (known) draft.tool(known.contract);
  if (known && !grant.allowed_tools.includes(known.contract.tool_id)) {
    draft.notGranted(name, grant, known.contract);
    const required_profiles = stepUpFor(grant, known.contract);
    if (required_profiles) throw new OpError('insufficient_scope', { required_profiles });
    throw new OpError('tool_not_found');
  }
  return toolOf(name);
}

/** Absent arguments mean {}; anything else that is no object, or breaks the schema, is refused by path and rule. */
export function readArguments(tool: Tool, request: CallRequest, draft: EventDraft) {
  const raw = request.arguments === undefined ? {} : request.arguments;
  draft.arguments(raw);
  const checked = tool.checkArguments(raw);
  const steering = controlsOf(tool.contract);
  const steer = (name: string) =>
    steering.includes(name) ? (checked[name] as string | undefined) : undefined;
  const controls = {
    target_id: steer('target_id'),
    approval_id: once('approval_id', request.approval_id, steer('approval_id')),
    // Either place may ask for a dry run; neither can turn one into the real thing.
    dry_run: request.dry_run === true || checked['dry_run'] === true,
  };
  const request_id = once('request_id', request.request_id, steer('request_id'));
  if (request_id) {
    // The id is written down in every record and journal of the call, so it may not be a place to put a bearer.
    if (holdsSecret(request_id))
      throw new OpError(
        'invalid_argument',
        { path: '/request_id', rule: 'secret' },
        'A request id may not hold a secret.',
      );
    draft.event.request_id = request_id;
  }
  draft.event.dry_run = controls.dry_run;
  const given = Object.fromEntries(Object.entries(checked).filter(([key]) => !steering.includes(key)));
  if (tool.contract.served_by !== 'hub' && JSON.stringify(given).includes('\\u0000')) {
    throw new OpError('invalid_argument', { path: '', rule: 'nul' }, 'A text may not hold a NUL character.');
  }
  // Root keeps what it is told (notes, reasons, titles): a secret in it is masked before it runs, not after it is stored.
  const args =
    tool.contract.served_by === 'hub' ? given : (redactValue(given).value as Record<string, unknown>);
  if (typeof args['hub_id'] === 'string') {
    draft.event.target_id = targetIdOf(args['hub_id']);
    draft.event.subnet_id = typeof args['subnet_id'] === 'string' ? args['subnet_id'] : null;
  }
  // The digest covers what will run: the permit, the journal and the record all speak of these bytes.
  draft.arguments(args);
  return { args, controls };
}

/** A control may stand beside the arguments or among them, and in both places only with one value. */
function once(name: string, beside: string | undefined, among: string | undefined): string | undefined {
  if (among !== undefined && beside !== undefined && among !== beside) {
    throw new OpError(
      'invalid_argument',
      { path: `/${name}`, rule: 'once' },
      `Two different values of ${name} were given.`,
    );
  }
  return beside ?? among;
}

/** The target of a call: the lease's own, or for an operator the one named. A foreign target looks like a forbidden one. */
export async function targetOf(
  targets: Targets,
  tool: ToolContract,
  grant: Grant,
  named: string | undefined,
): Promise<ManagedTarget | null> {
  if (tool.surface === 'development') return null;
  if (grant.target_id !== null && named !== undefined && named !== grant.target_id)
    throw new OpError('target_forbidden');
  const target_id = named ?? grant.target_id;
  if (target_id !== null) {
    const target = await targets.get(target_id);
    // A tenant without a target of its own may name any: another tenant's looks like one that does not exist.
    if (grant.target_id === null && grant.subnet_id !== null && target.subnet_id !== grant.subnet_id)
      throw new OpError('target_not_found');
    return target;
  }
  if (tool.served_by === 'hub') throw missingTarget();
  return null;
}

/** An operator has no target of its own and must name one where the tool needs it. */
export const missingTarget = () =>
  new OpError(
    'invalid_argument',
    { path: '/target_id', rule: 'required' },
    'Name the target: this credential has none of its own.',
  );

/** What an allow is to be bound to; null for what root serves itself. */
export function permitFor(
  tool: ToolContract,
  target: ManagedTarget | null,
  draft: EventDraft,
): PermitRequest | null {
  const hub_id = tool.served_by === 'hub' && target ? hubIdOf(target.target_id) : null;
  if (hub_id === null) return null;
  if (!isWrite(tool)) return { hub_id, kind: 'read' };
  return {
    hub_id,
    kind: 'write',
    request_id: draft.event.request_id,
    arguments_digest: draft.event.arguments_digest ?? '',
  };
}
