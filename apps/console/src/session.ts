import { useSyncExternalStore } from 'react';

/** The operator's token lives in this tab's session storage, and goes with it. It is never part of a URL, a log or the page. */
const KEY = 'adaos.operator_token';

export interface Session {
  readonly token: string | null;
  /** Why the last session ended; null when the operator signed out or never was in. */
  readonly ended: string | null;
}

let session: Session = { token: sessionStorage.getItem(KEY), ended: null };
const listeners = new Set<() => void>();

function become(next: Session): void {
  session = next;
  listeners.forEach((listener) => listener());
}

export function signIn(token: string): void {
  sessionStorage.setItem(KEY, token);
  become({ token, ended: null });
}

/** Forgets the token. `reason` is told on the sign-in page. */
export function signOut(reason: string | null = null): void {
  sessionStorage.removeItem(KEY);
  become({ token: null, ended: reason });
}

/** The token of now, for a request. */
export const tokenOfNow = (): string | null => session.token;

export const useSession = (): Session =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
