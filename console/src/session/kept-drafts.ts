import { useCallback, useEffect, useMemo, useState } from 'react';
import { identityOf, readJson } from './person.ts';
import type { Person } from './person.ts';
import { useSession } from './use-session.ts';

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

/** What a form has kept of what the person had written in it. */
export interface KeptDraft<T> {
  /** What was written for the same thing before the form was opened; `null`: nothing. */
  readonly found: T | null;
  /** What was written for the thing as it was before. Nobody but the person takes it over. */
  readonly outdated: T | null;
  /** Keeps what stands in the form now; `null`: nothing is written in it. */
  readonly keep: (value: T | null) => void;
  /** Makes nothing of all that was kept. */
  readonly drop: () => void;
}

/**
 * Keeps what a person writes in a form: through its closing, a reload, and signing in again.
 * @param place what the form is of, such as an approval. @param base what it shows; another one makes a draft outdated
 */
export function useKeptDraft<T>(place: string, base: string): KeptDraft<T> {
  const { person } = useSession();
  const key = person ? keptKey(person, place) : '';
  const [opened, setOpened] = useState(() => (key === '' ? null : readKept(key)));
  const keep = useCallback(
    (value: T | null) => {
      if (key === '') return;
      if (value !== null) writeKept(key, { base, text: JSON.stringify(value) });
      else if (readKept(key)?.base === base) writeKept(key, null);
    },
    [key, base],
  );
  const drop = useCallback(() => {
    writeKept(key, null);
    setOpened(null);
  }, [key]);
  const value = useMemo(() => (opened ? readJson<T>(opened.text) : null), [opened]);
  return {
    found: opened?.base === base ? value : null,
    outdated: opened && opened.base !== base ? value : null,
    keep,
    drop,
  };
}

/** Has the browser ask before the tab is closed while something is written and not sent. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
}
