import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Validation } from 'holdfast/client';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { offsetOf, readJson } from '../../editor/json-text.ts';
import type { EditorIssue } from '../../editor/json-text.ts';
import { isMembers } from '../../form/fields.ts';

/** The result of checking the text of a definition. */
export interface Checked {
  readonly issues: readonly EditorIssue[];
  /** `null` while the text is no JSON object. */
  readonly definition: Readonly<Record<string, unknown>> | null;
  /** `checking`: the issues may be those of an earlier text. */
  readonly state: 'broken' | 'checking' | 'invalid' | 'valid' | 'unknown';
  /** The error of a failed check by the API; `null` if there was none. */
  readonly error: unknown;
}

/** The API is asked after this time without a keystroke. */
const PAUSE_MS = 500;

/** Checks the text of a definition: JSON syntax at once, the rest by the API after a pause. */
export function useIssues(text: string): Checked {
  const client = useApi();
  const read = useMemo(() => readJson(emptyAsNull(text)), [text]);
  const settled = useSettled(text);
  const definition = 'value' in read && isMembers(read.value) ? read.value : null;
  const query = useQuery({
    queryKey: [...KEYS.graphs, 'validation', settled],
    enabled: definition !== null && settled === text,
    placeholderData: keepPreviousData,
    gcTime: 0,
    queryFn: async ({ signal }) => await client.graphs.validate(definition ?? {}, { signal }),
  });
  const found = useDeferredValue(query.data);
  const issues = useMemo(() => toIssues(text, found), [text, found]);
  if ('issues' in read) return { issues: read.issues, definition: null, state: 'broken', error: null };
  if (definition === null) return { issues: [NO_OBJECT], definition, state: 'broken', error: null };
  const isOld = settled !== text || query.isPlaceholderData || query.isFetching;
  return { issues, definition, state: stateOf(found, isOld), error: query.error };
}

const NO_OBJECT: EditorIssue = { offset: 0, severity: 'error', message: 'A definition is a JSON object' };

/** Reads an empty text as `null`, so that it counts as a missing object rather than as invalid JSON. */
function emptyAsNull(text: string): string {
  return text.trim() === '' ? 'null' : text;
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function toIssues(text: string, found: Validation | undefined): readonly EditorIssue[] {
  return (found?.issues ?? []).map(({ path, severity, message, hint }) => ({
    offset: offsetOf(text, path),
    severity,
    message,
    hint,
  }));
}

function stateOf(found: Validation | undefined, isOld: boolean): Checked['state'] {
  if (isOld) return 'checking';
  if (!found) return 'unknown';
  return found.valid ? 'valid' : 'invalid';
}
