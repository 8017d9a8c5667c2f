import { useCallback, useEffect, useMemo, useState } from 'react';
import { identityOf, readJson } from './person.ts';
import type { Person } from './person.ts';
import { useSession } from './use-session.ts';

/* Drafts: input that people have not sent. A draft is stored in its tab, like the token, and is lost with it. */

const PREFIX = 'holdfast.draft ';

/** A stored draft with the version that it was written for, such as the digest of an approval. */
interface StoredDraft {
  readonly base: string;
  /** As JSON. */
  readonly text: string;
}

function draftKey(person: Pick<Person, 'tenant' | 'sub' | 'roles'>, subject: string): string {
  return `${PREFIX}${identityOf(person)} ${subject}`;
}

function readStored(key: string): StoredDraft | null {
  const stored = sessionStorage.getItem(key);
  const kept: unknown = stored === null ? null : JSON.parse(stored);
  if (typeof kept !== 'object' || kept === null || !('base' in kept && 'text' in kept)) return null;
  const { base, text } = kept;
  return typeof base === 'string' && typeof text === 'string' ? { base, text } : null;
}

/** @returns false if the tab's storage is full */
function writeStored(key: string, kept: StoredDraft | null): boolean {
  try {
    if (kept) sessionStorage.setItem(key, JSON.stringify(kept));
    else sessionStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

const keys = (): readonly string[] => Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));

/** True if this tab has unsent drafts. */
export function hasDrafts(): boolean {
  return keys().length > 0;
}

export function dropDrafts(): void {
  for (const key of keys()) sessionStorage.removeItem(key);
}

/** The draft of a form. */
export interface KeptDraft<T> {
  /** A draft for the same version from before the form was opened; `null` if there is none. */
  readonly found: T | null;
  /** A draft for another version. The form does not use it unless the person asks for it. */
  readonly outdated: T | null;
  /** Stores the current input; `null` if there is none. */
  readonly keep: (value: T | null) => void;
  /** Deletes the stored drafts. */
  readonly drop: () => void;
}

/**
 * Stores the input of a form, so that it survives closing, a reload, and signing in again.
 * @param subject such as an approval. @param base the version of the subject; another one makes a draft outdated
 */
export function useKeptDraft<T>(subject: string, base: string): KeptDraft<T> {
  const { person } = useSession();
  const key = person ? draftKey(person, subject) : '';
  const [opened, setOpened] = useState(() => (key === '' ? null : readStored(key)));
  const keep = useCallback(
    (value: T | null) => {
      if (key === '') return;
      if (value !== null) writeStored(key, { base, text: JSON.stringify(value) });
      else if (readStored(key)?.base === base) writeStored(key, null);
    },
    [key, base],
  );
  const drop = useCallback(() => {
    writeStored(key, null);
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

/** Lets the browser ask before it closes a tab with unsent input. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
}
