import { OpError } from '@adaos/contracts';

/** Why a token of somebody else's does not let in: what its holder reads, and the word that stands in the record. */
export const REASONS = {
  malformed: 'The token is malformed.',
  issuer: 'The token comes from an issuer that this zone does not trust.',
  audience: 'The token was issued for another audience.',
  expired: 'The token has expired.',
  not_yet_valid: 'The token is not valid yet.',
  algorithm: 'The token is signed in a way that this zone does not take.',
  signature: 'The token carries no signature of its issuer.',
  claims: 'The token lacks a claim that this zone needs.',
  bound: 'The token is bound to a key and is no bearer token.',
  inactive: 'The token is not active at its issuer.',
  role: 'This account has no role in this zone.',
  scope: 'The token names no capability profile of this zone.',
  target: 'The token names no target of this zone.',
  sign_in: 'The sign-in was not completed; start again.',
} as const;
export type Reason = keyof typeof REASONS;

/** An OpError(unauthenticated) that says why. */
export const refused = (reason: Reason): OpError =>
  new OpError('unauthenticated', { reason }, REASONS[reason]);
