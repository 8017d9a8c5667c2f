import { identityOf } from './person.ts';
import type { Person } from './person.ts';

/* What people have written and not sent. It stays in its tab and goes with it, as the token does. */

const PREFIX = 'holdfast.draft ';

/** What was written, and what it was written for, such as the digest of an approval. */
export interface Kept {
  readonly base: string;
  /** As JSON. */
  readonly text: string;
}

export function keptKey(person: Pick<Person, 'tenant' | 'sub' | 'roles'>, place: string): string {
  return `${PREFIX}${identityOf(person)} ${place}`;
}

export function readKept(key: string): Kept | null {
  const stored = sessionStorage.getItem(key);
  const kept: unknown = stored === null ? null : JSON.parse(stored);
  if (typeof kept !== 'object' || kept === null || !('base' in kept && 'text' in kept)) return null;
  const { base, text } = kept;
  return typeof base === 'string' && typeof text === 'string' ? { base, text } : null;
}

/** @returns false if the tab has no room for it */
export function writeKept(key: string, kept: Kept | null): boolean {
  try {
    if (kept) sessionStorage.setItem(key, JSON.stringify(kept));
    else sessionStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

const keys = (): readonly string[] => Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));

/** True if something that was written in this tab waits for its author. */
export function hasDrafts(): boolean {
  return keys().length > 0;
}

export function dropDrafts(): void {
  for (const key of keys()) sessionStorage.removeItem(key);
}
