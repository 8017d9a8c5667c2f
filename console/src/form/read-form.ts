import { HoldfastError } from 'holdfast/client';
import { readDraft, readJsonText, toDraft, toJsonText } from './draft.ts';
import type { Draft } from './draft.ts';
import type { Field } from './fields-of.ts';

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

interface Checked {
  /** The fields that are shown; `null`: the whole value is JSON. */
  readonly fields: readonly Field[] | null;
  readonly problems: Readonly<Record<string, string>>;
}

/** True if something is wrong with what one of the forms shows: nothing of them may be sent then. */
export function hasProblems(...forms: readonly Checked[]): boolean {
  return forms.some(({ fields, problems }) =>
    (fields?.map(({ name }) => name) ?? [WHOLE]).some((name) => Object.hasOwn(problems, name)),
  );
}

/** What is wrong with a request, where it belongs. */
export interface PlacedIssues {
  /** By the names of fields. */
  readonly byField: Readonly<Record<string, string>>;
  /** What belongs to no field. */
  readonly others: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Places the issues of a refused request at the fields of a form.
 * @param place the JSON Pointer of the object that the form fills; empty for the whole body
 */
export function issuesByField(error: unknown, names: readonly string[], place = ''): PlacedIssues {
  const issues = error instanceof HoldfastError ? error.issues : [];
  const placed = issues.map(({ path, message }) => ({ path, message, name: fieldAt(path, place) }));
  const isPlaced = ({ name }: (typeof placed)[number]): boolean => name !== null && names.includes(name);
  return {
    byField: Object.fromEntries(placed.filter(isPlaced).map(({ name, message }) => [name, message])),
    others: placed.filter((issue) => !isPlaced(issue)).map(({ path, message }) => ({ path, message })),
  };
}

function fieldAt(path: string, place: string): string | null {
  if (!path.startsWith(`${place}/`)) return null;
  const token = path.slice(place.length + 1).split('/')[0] ?? '';
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
