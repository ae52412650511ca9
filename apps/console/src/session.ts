import { useSyncExternalStore } from 'react';

/** The operator's token lives in this tab's session storage, and goes with it. It is never part of a URL, a log or the page. */
const KEY = 'adaos.operator_token';

/** How this tab proves who it is: by a token of its own, or by a cookie that no script can read, set by a sign-in elsewhere. */
export type Credential =
  { readonly kind: 'token'; readonly token: string } | { readonly kind: 'cookie' } | null;

export interface Session {
  readonly credential: Credential;
  /** Why the last session ended; null when the operator signed out or never was in. */
  readonly ended: string | null;
  /** Signed out by hand in this tab: it does not sign in by itself again. */
  readonly left: boolean;
}

const kept = sessionStorage.getItem(KEY);
let session: Session = {
  credential: kept === null ? null : { kind: 'token', token: kept },
  ended: null,
  left: false,
};
const listeners = new Set<() => void>();

function become(next: Session): void {
  session = next;
  listeners.forEach((listener) => listener());
}

export function signIn(token: string): void {
  sessionStorage.setItem(KEY, token);
  become({ credential: { kind: 'token', token }, ended: null, left: false });
}

/** The browser holds a cookie of a sign-in: requests carry it from now on. */
export const signInByCookie = (): void =>
  become({ credential: { kind: 'cookie' }, ended: null, left: false });

/** Forgets the credential. `reason` is told on the sign-in page. */
export function signOut(reason: string | null = null): void {
  sessionStorage.removeItem(KEY);
  become({ credential: null, ended: reason, left: true });
}

/** The credential of now, for a request. */
export const credentialOfNow = (): Credential => session.credential;

export const useSession = (): Session =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
