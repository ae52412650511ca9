import type { KeyObject } from 'node:crypto';
import { DecideRequest, validator, type Decision } from '@adaos/contracts';
import { signPermit } from '@adaos/permit';
import { execHandler, type HandlerTable } from '@adaos/runtime';
import { changeTools } from './change-tools.js';
import type { PolicyToolDeps } from './deps.js';
import { questionTools } from './question-tools.js';

/** Seconds. A read permit is reused within one revocation epoch and policy revision (D13); a write permit outlives its call's deadline only just. */
const PERMIT_TTL = { read: 30, write: 60 } as const;

export interface PolicyHandlerDeps extends PolicyToolDeps {
  readonly permit_key: KeyObject;
}

const checkRequest = validator<DecideRequest>(DecideRequest);

/** Subject verb → function. The whole public face of the policy service. */
export const handlers = (deps: PolicyHandlerDeps): HandlerTable => ({
  policy_revision: async () => ({ revision: deps.active.revision() }),
  policy_exec: execHandler('root.policies', { ...changeTools(deps), ...questionTools(deps) }),
  /** Facts in, decision out; an allow on a target carries a permit bound to it. */
  async policy_decide(body: unknown): Promise<Decision> {
    const { facts, permit } = checkRequest(body);
    const verdict = deps.active.decide(facts);
    const decision_id = deps.ids.next('dec');
    const base = { ...verdict, decision_id, policy_revision: deps.active.revision() };
    if (verdict.decision !== 'allow' || !permit)
      return { ...base, permit: null, permit_id: null, permit_expires_at: null };
    const permit_id = deps.ids.next('prm');
    const now = deps.clock.now();
    const ttl = PERMIT_TTL[permit.kind];
    const bound =
      permit.kind === 'write'
        ? { request_id: permit.request_id, arguments_digest: permit.arguments_digest }
        : {};
    const signed = await signPermit(
      deps.permit_key,
      {
        permit_id,
        zone: deps.zone,
        hub_id: permit.hub_id,
        lease_id: facts.grant.grant_id,
        tool_id: facts.tool.tool_id,
        kind: permit.kind,
        ...bound,
        ...(facts.call.dry_run && { dry_run: true }),
      },
      now,
      ttl,
    );
    return {
      ...base,
      permit: signed,
      permit_id,
      permit_expires_at: new Date(now + ttl * 1000).toISOString(),
    };
  },
});
