import type { Person } from './person.ts';
import { readJson } from './read-json.ts';

/** The people whose tokens this tab has, and which of them uses it. Only a local stack gives several. */
export interface StoredSession {
  readonly people: readonly Person[];
  readonly current: number;
  /** Gets another token from the issuer; absent: it gave none. */
  readonly refreshToken?: string;
}

const KEY = 'holdfast.session';

/** Reads what a reload of the tab has left. Another tab has none of it, and it goes with the tab. */
export function loadSession(): StoredSession | null {
  const stored = sessionStorage.getItem(KEY);
  return stored === null ? null : readJson<StoredSession>(stored);
}

export function saveSession(session: StoredSession | null): void {
  if (session) sessionStorage.setItem(KEY, JSON.stringify(session));
  else sessionStorage.removeItem(KEY);
}
