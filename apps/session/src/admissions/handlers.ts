import {
  AdmitRequest,
  OpError,
  SignInBegin,
  SignInEnd,
  SignInFinish,
  validator,
  type ExecRequest,
  type Grant,
  type TrustFacts,
} from '@adaos/contracts';
import type { ExecTable, HandlerTable } from '@adaos/runtime';
import { tokenHmacs } from '../token.js';
import { findAdmission } from './admission.js';
import { admit } from './admit.js';
import { beginSignIn, finishSignIn, type SignInDeps } from './sign-in.js';

export type AdmissionDeps = SignInDeps;

const checkAdmit = validator<AdmitRequest>(AdmitRequest);
const checkBegin = validator<SignInBegin>(SignInBegin);
const checkFinish = validator<SignInFinish>(SignInFinish);
const checkEnd = validator<SignInEnd>(SignInEnd);

/** Subjects of those who come in by a trusted issuer. */
export const admissionHandlers = (deps: AdmissionDeps): HandlerTable => ({
  session_admit: async (body) => admit(deps, checkAdmit(body).bearer),
  session_trust: async () => trustFacts(deps),
  session_begin_sign_in: async (body) => beginSignIn(deps, checkBegin(body)),
  session_finish_sign_in: async (body) => finishSignIn(deps, checkFinish(body)),
  session_end_sign_in: async (body) => endSignIn(deps, checkEnd(body)),
});

/** Tools of operators on them. */
export const admissionTools = (deps: AdmissionDeps) =>
  ({
    'operations.list_admissions': async (args: ListArgs) => {
      const { items, next_cursor } = await deps.admissions.list({ ...args, zone: deps.zone });
      return { admissions: items, next_cursor };
    },
    'operations.revoke_admission': async (args: RevokeArgs, request: ExecRequest) => {
      const known = await deps.admissions.get(deps.zone, args.admission_id);
      // Who may put operators out runs the zone: with less, one operator could lock all others out.
      if (known?.role && (request.grant as Grant).role !== 'admin')
        throw new OpError(
          'forbidden',
          { needs: 'admin' },
          'Only an admin may end the access of an operator.',
        );
      return {
        admission: (await revoke(deps, args.admission_id, request.actor, args.reason ?? '')).admission,
      };
    },
  }) satisfies ExecTable;

interface ListArgs {
  status?: 'active' | 'expired' | 'revoked';
  limit?: number;
  cursor?: string;
}
interface RevokeArgs {
  admission_id: string;
  reason?: string;
}

async function revoke(deps: AdmissionDeps, admission_id: string, by: string, reason: string) {
  const revoked = await deps.admissions.revoke(deps.zone, admission_id, by, reason);
  if (!revoked)
    throw new OpError('invalid_argument', { path: '/admission_id' }, 'No such admission in this zone.');
  // Told again on a repeat: a replica that missed the first telling hears the second.
  deps.journal.announce(admission_id, revoked.admission.target_id, revoked.epoch);
  return revoked;
}

/** Signing out ends the session everywhere. Only a session of the console: a token is not the console's to end. */
async function endSignIn(deps: AdmissionDeps, { bearer_digest }: SignInEnd): Promise<{ ended: boolean }> {
  const known = await findAdmission(deps, tokenHmacs(deps.hmac_keys, bearer_digest));
  if (known?.admitted_by !== 'sign_in' || known.status !== 'active') return { ended: false };
  await revoke(deps, known.admission_id, known.actor, 'signed out');
  return { ended: true };
}

function trustFacts({ trust: { oidc, oauth } }: AdmissionDeps): TrustFacts {
  return {
    oauth: oauth && {
      resource: oauth.resource,
      authorization_servers: oauth.issuers,
      scope_prefix: oauth.scope_prefix,
      default_scopes: oauth.default_profiles.map((id) => oauth.scope_prefix + id),
    },
    oidc: oidc && { name: oidc.name },
  };
}
