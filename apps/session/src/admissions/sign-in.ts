import { type SignedIn, type SignInBegin, type SignInBegun, type SignInFinish } from '@adaos/contracts';
import type { Log } from '@adaos/runtime';
import * as openid from 'openid-client';
import { newBearer } from '../parts.js';
import { keep, type AdmitDeps } from './admit.js';
import { operatorOf } from './grants-of.js';
import { isAway, issuerAway } from './issuer-fetch.js';
import { refused } from './refusal.js';
import { seal, unseal } from './sealed.js';

export type SignInDeps = AdmitDeps & { readonly log: Log };

const providerOf = ({ trust, prover }: SignInDeps) => {
  if (!trust.oidc || !prover.oidc) throw refused('issuer');
  return { oidc: trust.oidc, provider: prover.oidc };
};

/** Where to send the browser: authorization code with PKCE, state and nonce. Throws OpError(dependency_unavailable). */
export async function beginSignIn(
  deps: SignInDeps,
  { redirect_uri, return_to }: SignInBegin,
): Promise<SignInBegun> {
  const { oidc, provider } = providerOf(deps);
  const config = await provider.client();
  const [state, nonce, verifier] = [
    openid.randomState(),
    openid.randomNonce(),
    openid.randomPKCECodeVerifier(),
  ];
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: oidc.scopes,
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const held = { state, nonce, verifier, redirect_uri, return_to };
  return { authorization_url: url.href, sealed: await seal(deps.hmac_keys, held, deps.clock.now()) };
}

/**
 * The browser is back with a code: it is exchanged, the ID token checked like any other token, and a session of the console made, whose bearer is
 * ours. Nothing of the provider's tokens is kept. Throws OpError: unauthenticated with a reason, dependency_unavailable, audit_unavailable.
 */
export async function finishSignIn(
  deps: SignInDeps,
  { callback_url, sealed }: SignInFinish,
): Promise<SignedIn> {
  const { oidc, provider } = providerOf(deps);
  const now = deps.clock.now();
  const held = await unseal(deps.hmac_keys, sealed, now);
  // Of what the browser came back to only the query counts: the rest is what we sent it to.
  const current = new URL(held.redirect_uri);
  current.search = URL.canParse(callback_url, held.redirect_uri)
    ? new URL(callback_url, held.redirect_uri).search
    : '';
  const config = await provider.client();
  let id_token: string | undefined;
  try {
    const tokens = await openid.authorizationCodeGrant(config, current, {
      pkceCodeVerifier: held.verifier,
      expectedState: held.state,
      expectedNonce: held.nonce,
      idTokenExpected: true,
    });
    id_token = tokens.id_token;
  } catch (error) {
    if (isAway(error)) throw issuerAway();
    const { code, message } = error as { code?: string; message?: string };
    deps.log.warn({ issuer: oidc.issuer, code, reason: message }, 'a sign-in was not completed');
    throw refused('sign_in');
  }
  const claims = await deps.prover.proveIdToken(id_token ?? '');
  const granted = operatorOf(claims, oidc);
  const { bearer, token_hmac } = newBearer(deps, 'con');
  const ends = now + oidc.session_s * 1000;
  const { expires_at } = await keep(deps, granted, {
    token_hmac,
    admitted_by: 'sign_in',
    expires_at: ends,
    token_expires_at: ends,
    known: null,
  });
  return { bearer, expires_at, return_to: held.return_to };
}
