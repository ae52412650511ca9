import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { refused } from './refusal.js';

/** What a browser keeps between leaving for the identity provider and coming back. */
export interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirect_uri: string;
  readonly return_to: string;
}

/** Seconds somebody may take at the identity provider. */
export const SIGN_IN_S = 600;

/** A key of its own for this purpose, from the key that all replicas of session share. */
const keyOf = (hmac_key: Buffer) =>
  new Uint8Array(hkdfSync('sha256', hmac_key, new Uint8Array(), 'adaos.sign-in-state', 32));

/** Encrypts and authenticates the state, so that no replica has to keep it and no browser can read or change it. */
export const seal = ([hmac_key]: readonly Buffer[], state: SignInState, now: number): Promise<string> =>
  new EncryptJWT({ ...state })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(Math.floor(now / 1000) + SIGN_IN_S)
    .encrypt(keyOf(hmac_key!));

/** By any of the keys: one of them may just be being replaced. Throws OpError(unauthenticated) for what is old, changed or sealed elsewhere. */
export async function unseal(
  hmac_keys: readonly Buffer[],
  sealed: string,
  now: number,
): Promise<SignInState> {
  for (const hmac_key of hmac_keys) {
    try {
      const { payload } = await jwtDecrypt(sealed, keyOf(hmac_key), {
        currentDate: new Date(now),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
      });
      return payload as unknown as SignInState;
    } catch {
      continue;
    }
  }
  throw refused('sign_in');
}
