import { readDraft, readJsonText, toDraft } from './draft.ts';
import type { Draft } from './draft.ts';
import type { Field } from './fields-of.ts';
import { toJsonText } from './to-json-text.ts';

/** The name of the one field of a value without known members. */
export const WHOLE = '';

/** What a draft means. Where it has problems, the value is what it was before them, and nothing of it may be sent. */
export interface ReadForm {
  readonly value: unknown;
  /** By the names of fields. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Fills a form. @param fields `null`: the whole value is written as JSON */
export function openForm(fields: readonly Field[] | null, initial: unknown): Draft {
  if (fields) return toDraft(fields, initial);
  return { [WHOLE]: initial === undefined ? '' : toJsonText(initial) };
}

/**
 * Reads what stands in a form.
 * @param fields `null`: the whole value is written as JSON
 * @param initial what it has begun with
 */
export function readForm(fields: readonly Field[] | null, draft: Draft, initial: unknown): ReadForm {
  if (fields) return readDraft(fields, draft, initial);
  const text = String(draft[WHOLE] ?? '');
  if (text.trim() === '') return readNothing(initial);
  const read = readJsonText(text);
  return 'problem' in read ? { value: initial, problems: { [WHOLE]: read.problem } } : { ...read, problems: {} };
}

/** A value that was there is not emptied: that would leave it as it was. */
function readNothing(initial: unknown): ReadForm {
  return { value: initial, problems: initial === undefined ? {} : { [WHOLE]: 'This is needed' } };
}
