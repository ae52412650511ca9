import { credentialOfNow, signOut } from '../session.js';

/** Proves to the zone that a request by cookie is the console's own. */
export const CONSOLE_HEADER = { 'x-adaos-console': '1' } as const;

const TIMEOUT_MS = 15_000;

/** What `GET /console/auth.json` tells. */
export interface SignInFacts {
  /** The identity provider, when the zone has one. */
  readonly sign_in: { readonly name: string } | null;
  /** The browser has a cookie of an earlier sign-in. */
  readonly signed_in: boolean;
}

/** How to sign in here; by token alone when the zone does not say. */
export async function signInFacts(signal: AbortSignal): Promise<SignInFacts> {
  try {
    const response = await fetch('/console/auth.json', {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
    const { sign_in = null, signed_in = false } = (await response.json()) as Partial<SignInFacts>;
    return { sign_in, signed_in };
  } catch {
    return { sign_in: null, signed_in: false };
  }
}

/** Where a sign-in begins; the page of now is come back to. */
export const signInPath = (): string =>
  `/console/login?${new URLSearchParams({ return_to: location.pathname + location.search })}`;

/** Ends the session: of a sign-in everywhere, of a token in this tab. */
export async function leave(): Promise<void> {
  const credential = credentialOfNow();
  signOut();
  if (credential?.kind !== 'cookie') return;
  await fetch('/console/logout', {
    method: 'POST',
    headers: CONSOLE_HEADER,
    credentials: 'same-origin',
    redirect: 'error',
    // Also when the tab is closed or reloaded at once: the answer takes the cookie away.
    keepalive: true,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
}

const OUTCOMES: Readonly<Record<string, string>> = {
  role: 'Your account has no role in this zone. Its operator maps groups of the identity provider to roles.',
  retry: 'The sign-in was not completed. Try again.',
  unavailable: 'The identity provider does not answer. Try again in a moment, or use an operator token.',
  limited: 'Too many sign-ins from here. Wait a minute.',
};

/** What came of a sign-in that the browser is back from, taken out of the address so that a reload does not tell it again. */
export function signInOutcome(): string | null {
  const url = new URL(location.href);
  const outcome = url.searchParams.get('sign_in');
  if (outcome === null) return null;
  url.searchParams.delete('sign_in');
  history.replaceState(history.state, '', url);
  return Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome]! : null;
}
