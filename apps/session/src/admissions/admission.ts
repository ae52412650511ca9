import { OpError, type Admission, type Grant } from '@adaos/contracts';
import type { SessionParts } from '../parts.js';

/** The admission of a bearer, by the hashes it may be stored under; one found under an older key moves to the newest. */
export async function findAdmission(
  { zone, admissions }: Pick<SessionParts, 'zone' | 'admissions'>,
  token_hmacs: readonly Buffer[],
): Promise<Admission | null> {
  const known = await admissions.findByTokenHmac(zone, token_hmacs);
  if (known && token_hmacs.length > 1) await admissions.rehash(known.admission_id, token_hmacs[0]!);
  return known;
}

/** The grant of an admission. Throws OpError: lease_revoked, unauthenticated once it has lapsed. */
export function admissionGrant(admission: Admission): Grant {
  if (admission.status === 'revoked') throw admissionRevoked(admission);
  const { admission_id, actor } = admission;
  if (admission.status === 'expired') throw new OpError('unauthenticated', { grant_id: admission_id, actor });
  return {
    grant_id: admission_id,
    auth_method: admission.auth_method,
    actor,
    role: admission.role,
    zone: admission.zone,
    subnet_id: admission.subnet_id,
    target_id: admission.target_id,
    audience: admission.audience,
    capability_profile: admission.capability_profile,
    profile_version: admission.profile_version,
    capabilities: admission.capabilities,
    allowed_tools: admission.allowed_tools,
    deadline_at: admission.expires_at,
  };
}

/** Told from a lease’s end: no new one is to be had from the issuer. */
export const admissionRevoked = ({ admission_id, actor }: Pick<Admission, 'admission_id' | 'actor'>) =>
  new OpError(
    'lease_revoked',
    { grant_id: admission_id, actor },
    'This access was revoked in the zone; ask its operator.',
  );
