import { sha256, type Admission, type Admitted } from '@adaos/contracts';
import type { Clock } from '@adaos/runtime';
import type { TargetRows } from '@adaos/store';
import type { SessionParts } from '../parts.js';
import { tokenHmacs } from '../token.js';
import { admissionRevoked, findAdmission } from './admission.js';
import { clientOf, operatorOf, type Granted } from './grants-of.js';
import type { Prover } from './prove.js';
import { refused } from './refusal.js';
import type { Trust } from './trust.js';

export interface AdmitDeps extends Pick<
  SessionParts,
  'zone' | 'hmac_keys' | 'admissions' | 'ids' | 'journal'
> {
  readonly targets: Pick<TargetRows, 'get'>;
  readonly clock: Clock;
  readonly trust: Trust;
  readonly prover: Prover;
}

/**
 * Lets a bearer of a trusted issuer in: checked once, kept as the keyed hash of its digest with a frozen grant, and from then on resolved by the
 * digest like every other. Throws OpError: unauthenticated with a reason, lease_revoked, dependency_unavailable, rate_limited, audit_unavailable.
 */
export async function admit(deps: AdmitDeps, bearer: string): Promise<Admitted> {
  const { hmac_keys, clock } = deps;
  const token_hmacs = tokenHmacs(hmac_keys, sha256(bearer));
  const known = await findAdmission(deps, token_hmacs);
  if (known?.status === 'revoked') throw admissionRevoked(known);
  if (known?.status === 'active') return { expires_at: known.expires_at };
  const proof = await deps.prover.prove(bearer);
  const granted = await grantedOf(deps, proof);
  const ends = proof.claims.exp * 1000;
  const made = await keep(deps, granted, {
    token_hmac: token_hmacs[0]!,
    admitted_by: 'token',
    expires_at: Math.min(ends, clock.now() + proof.seconds * 1000),
    token_expires_at: ends,
    // Shown again when its time was up: the same admission, recorded when it began.
    known,
  });
  return { expires_at: made.expires_at };
}

function grantedOf(deps: AdmitDeps, proof: Awaited<ReturnType<Prover['prove']>>): Promise<Granted> | Granted {
  const { oidc, oauth } = deps.trust;
  if (proof.kind === 'operator' && oidc) return operatorOf(proof.claims, oidc);
  if (proof.kind === 'client' && oauth) return clientOf(proof.claims, proof.issuer, oauth, deps);
  throw refused('issuer');
}

interface Kept {
  readonly token_hmac: Buffer;
  readonly admitted_by: Admission['admitted_by'];
  /** Epoch milliseconds. */
  readonly expires_at: number;
  readonly token_expires_at: number;
  readonly known: Admission | null;
}

/** Records the admission, then writes it: nobody is in who is not on record. @throws OpError lease_revoked when it was revoked meanwhile. */
export async function keep(deps: AdmitDeps, granted: Granted, kept: Kept): Promise<Admission> {
  const now = deps.clock.now();
  // Within the skew of the clocks a token may be in its last moment: it is let in for none.
  if (kept.expires_at <= now) throw refused('expired');
  const admission = {
    ...granted,
    admission_id: kept.known?.admission_id ?? deps.ids.next('adn'),
    token_hmac: kept.token_hmac,
    zone: deps.zone,
    admitted_by: kept.admitted_by,
    admitted_at: new Date(now).toISOString(),
    expires_at: new Date(kept.expires_at).toISOString(),
    token_expires_at: new Date(kept.token_expires_at).toISOString(),
  };
  if (!kept.known) await deps.journal.admitted(admission);
  const made = await deps.admissions.admit(admission);
  if (!made) throw admissionRevoked(admission);
  return made;
}
