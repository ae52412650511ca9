import { OpError } from '@adaos/contracts';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { issuerAway } from './issuer-fetch.js';
import { refused, type Reason } from './refusal.js';

/** Signatures by a key that only the issuer has. No `none`, and no HMAC: its key would be one that we have too (RFC 8725, section 3.1). */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Kinds of JWT that are sent as a bearer. A logout token or a DPoP proof of the same issuer is none (RFC 8725, section 3.11). */
const TYPES = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

export interface Expected {
  readonly keys: JWTVerifyGetKey;
  readonly issuer: string;
  readonly audience: string;
  readonly clock_skew_s: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A checked token: what it says, with the times and the subject that every token must have. */
export type Claims = JWTPayload & { readonly sub: string; readonly exp: number };

/** Checks signature, issuer, audience and times. Throws OpError(unauthenticated) with a reason, or dependency_unavailable. */
export async function verifyJwt(token: string, expected: Expected): Promise<Claims> {
  const { keys, issuer, audience, clock_skew_s, now } = expected;
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: clock_skew_s,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'iat', 'sub'],
    });
    if (!TYPES.has(protectedHeader.typ?.toLowerCase())) throw refused('malformed');
    return checkedClaims(payload, { clock_skew_s, now });
  } catch (error) {
    if (error instanceof OpError) throw error;
    const reason = reasonOf(error);
    throw reason === null ? issuerAway() : refused(reason);
  }
}

/** What a signature or an introspection endpoint does not check. @throws OpError unauthenticated. */
export function checkedClaims(
  payload: JWTPayload,
  { clock_skew_s, now }: Pick<Expected, 'clock_skew_s' | 'now'>,
): Claims {
  const { sub, exp, iat, nbf, cnf } = payload as Record<string, unknown>;
  if (typeof sub !== 'string' || sub === '' || !isTime(exp)) throw refused('claims');
  const [latest, earliest] = [now / 1000 + clock_skew_s, now / 1000 - clock_skew_s];
  if (exp <= earliest) throw refused('expired');
  if (isTime(iat) && iat > latest) throw refused('not_yet_valid');
  if (isTime(nbf) && nbf > latest) throw refused('not_yet_valid');
  // Bound to a key of its holder (RFC 7800): whoever sends it without proof of that key may have stolen it.
  if (cnf !== undefined) throw refused('bound');
  return { ...payload, sub, exp };
}

/** Seconds since the epoch, within what a date can hold. */
const isTime = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e11;

/** Null when it is no fault of the token: keys that could not be fetched or read. */
function reasonOf(error: unknown): Reason | null {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return reasonOfClaim(error);
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return 'algorithm';
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'malformed';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'signature';
  return null;
}

const reasonOfClaim = ({ claim, reason }: errors.JWTClaimValidationFailed): Reason =>
  reason === 'missing' && claim !== 'aud' ? 'claims' : (CLAIMS[claim] ?? 'claims');

const CLAIMS: Readonly<Record<string, Reason>> = {
  aud: 'audience',
  iss: 'issuer',
  nbf: 'not_yet_valid',
  iat: 'not_yet_valid',
};
