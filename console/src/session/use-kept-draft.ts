import { useCallback, useEffect, useMemo, useState } from 'react';
import { keptKey, readKept, writeKept } from './kept-drafts.ts';
import { readJson } from './read-json.ts';
import { useSession } from './use-session.ts';

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
