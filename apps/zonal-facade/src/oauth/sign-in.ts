import type { Bus } from '@adaos/bus';
import {
  OpError,
  sha256,
  subjectOf,
  type SignedIn,
  type SignInBegin,
  type SignInBegun,
  type SignInEnd,
  type SignInFinish,
} from '@adaos/contracts';
import type { Limits } from '@adaos/limits';
import type { Clock } from '@adaos/runtime';
import type { Express, Request, Response } from 'express';
import { errorBody, sendJson } from '../answer.js';
import { callerOf } from '../caller.js';
import { freshIds } from '../failure.js';
import { hostOf } from '../origin-gate.js';
import { recordRefusal } from '../refusing.js';
import type { RestEdge } from '../rest/edge.js';
import { labelRoute } from '../route-label.js';
import {
  consoleCookies,
  cookieOf,
  isFromConsole,
  sessionCookie,
  signInCookie,
  type ConsoleCookies,
} from './console-cookie.js';
import { returnTo } from './return-to.js';
import type { TrustSource } from './trust-facts.js';

export interface SignInEdge extends Pick<RestEdge, 'router' | 'callers'> {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly trust: Pick<TrustSource, 'current'>;
  /** Origin of the zone as browsers reach it. */
  readonly public_origin: () => string;
}

/** Seconds somebody may take at the identity provider; session judges it too. */
const SIGN_IN_S = 600;
/** Session may ask its issuer three times. */
const TIMEOUT_MS = 12_000;
/** Sign-ins begun or finished: each can cost the identity provider a request. */
const PER_ADDRESS = { points: 60, duration_s: 60 } as const;
const PER_REPLICA = { points: 50, duration_s: 1 } as const;

/** Why a sign-in failed, as the console reads it from its address. */
type Outcome = 'role' | 'retry' | 'unavailable' | 'limited';

/** Nothing of these answers is kept, and no address they lead to learns where the browser came from: it holds a code. */
const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const;

/** Sign-in of the console by the identity provider: `/console/login`, `/console/callback`, `/console/logout`, `/console/auth.json`. */
export function serveSignIn(app: Express, edge: SignInEdge): void {
  const cookiesNow = () => consoleCookies(edge.public_origin().startsWith('https:'));
  const on = (method: 'get' | 'post', path: string, serve: (at: Exchange) => Promise<void>) =>
    app[method](path, (req, res, next) => {
      if (path !== AUTH_JSON && edge.trust.current().oidc === null) return next();
      labelRoute(req, path);
      res.set(PRIVATE);
      return serve({ req, res, cookies: cookiesNow() });
    });

  on('get', AUTH_JSON, async ({ req, res, cookies }) =>
    // Whether there is a cookie, not whether it still opens anything: the first request tells.
    sendJson(res, 200, {
      sign_in: edge.trust.current().oidc,
      signed_in: cookieOf(req, cookies.session) !== null,
    }),
  );
  on('get', '/console/login', (at) => login(edge, at));
  on('get', '/console/callback', (at) => callback(edge, at));
  on('post', '/console/logout', (at) => logout(edge, at));
}

const AUTH_JSON = '/console/auth.json';

interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly cookies: ConsoleCookies;
}

async function login(edge: SignInEdge, { req, res, cookies }: Exchange): Promise<void> {
  const origin = edge.public_origin();
  const { searchParams } = new URL(req.url, origin);
  const asked = searchParams.get('return_to');
  // The provider sends the browser back to the public address, where a cookie of another name for this host would be missing.
  // Once: a proxy that hides which host was asked for must not send it round in circles.
  if (hostAsked(edge, req)?.toLowerCase() !== new URL(origin).host && !searchParams.has('moved')) {
    const query = new URLSearchParams({ return_to: returnTo(asked), moved: '1' });
    return res.redirect(302, `${origin}/console/login?${query}`);
  }
  const outcome = await attempt(edge, req, async () => {
    const body: SignInBegin = { redirect_uri: `${origin}/console/callback`, return_to: returnTo(asked) };
    const begun = await ask<SignInBegun>(edge, 'session_begin_sign_in', body);
    res.append('set-cookie', signInCookie(cookies, begun.sealed, SIGN_IN_S));
    res.redirect(302, begun.authorization_url);
  });
  if (outcome) backWith(res, outcome);
}

async function callback(edge: SignInEdge, { req, res, cookies }: Exchange): Promise<void> {
  const sealed = cookieOf(req, cookies.sign_in);
  // Whatever comes of it, a state is for one return.
  res.append('set-cookie', signInCookie(cookies, '', 0));
  if (sealed === null || sealed.length > 4_096) return backWith(res, 'retry');
  const outcome = await attempt(edge, req, async () => {
    const body: SignInFinish = { callback_url: req.url, sealed };
    const { bearer, expires_at, return_to } = await ask<SignedIn>(edge, 'session_finish_sign_in', body);
    const left_s = Math.floor((Date.parse(expires_at) - edge.clock.now()) / 1000);
    res.append('set-cookie', sessionCookie(cookies, bearer, Math.max(1, left_s)));
    res.redirect(303, returnTo(return_to));
  });
  if (outcome) backWith(res, outcome);
}

async function logout(edge: SignInEdge, { req, res, cookies }: Exchange): Promise<void> {
  const refuse = (status: number, code: 'forbidden' | 'dependency_unavailable', message: string) =>
    sendJson(res, status, errorBody({ code, message, ...freshIds(edge.callers.ids) }));
  const place = { host: hostAsked(edge, req), public_origin: edge.public_origin() };
  if (!isFromConsole(req, place)) return refuse(403, 'forbidden', 'Only the console may sign out.');
  const bearer = cookieOf(req, cookies.session);
  res.append('set-cookie', sessionCookie(cookies, '', 0));
  if (bearer !== null) {
    try {
      const body: SignInEnd = { bearer_digest: sha256(bearer) };
      await ask<{ ended: boolean }>(edge, 'session_end_sign_in', body);
    } catch {
      return refuse(
        503,
        'dependency_unavailable',
        'Signed out here, but the zone could not end the session.',
      );
    }
  }
  sendJson(res, 200, { ok: true });
}

const hostAsked = ({ callers }: SignInEdge, req: Request) =>
  hostOf(req, callers.addresses.hopOf(req).proxied);

const ask = <T>(
  { bus }: SignInEdge,
  id: 'session_begin_sign_in' | 'session_finish_sign_in' | 'session_end_sign_in',
  body: object,
): Promise<T> => bus.request<T>(subjectOf(id), body, { timeout_ms: TIMEOUT_MS });

/** Runs a step within the rates; null when it went well, else what to tell the console. A refused sign-in is put on record. */
async function attempt(edge: SignInEdge, req: Request, step: () => Promise<void>): Promise<Outcome | null> {
  const caller = callerOf(edge.callers, req, 'rest');
  const [own, all] = [
    await edge.limits.take(`sign-in:${caller.client.address}`, PER_ADDRESS),
    await edge.limits.take('sign-in', PER_REPLICA),
  ];
  if (!own.allowed || !all.allowed) return 'limited';
  try {
    await step();
    return null;
  } catch (error) {
    if (!(error instanceof OpError)) throw error;
    const { code, message, details } = error;
    if (code !== 'unauthenticated') return 'unavailable';
    await recordRefusal(edge.router, caller, { code, message });
    return details?.['reason'] === 'role' ? 'role' : 'retry';
  }
}

/** A person waits in front of a browser: not JSON, but the sign-in page with a word it knows. */
const backWith = (res: Response, outcome: Outcome): void =>
  res.redirect(303, `/console/?${new URLSearchParams({ sign_in: outcome })}`);
