import { HoldfastError } from 'holdfast/client';
import { readDraft, readJsonText, toDraft, toJsonText } from './draft.ts';
import type { Draft } from './draft.ts';
import type { Field } from './fields.ts';

/** The name of the single field of a value without known members. */
export const WHOLE = '';

/** The value of a draft. If it has problems, the value is the last valid one and must not be sent. */
interface ReadForm {
  readonly value: unknown;
  /** By field name. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Converts a value to the input of a form. @param fields `null`: the whole value is one field with JSON */
export function openForm(fields: readonly Field[] | null, initial: unknown): Draft {
  if (fields) return toDraft(fields, initial);
  return { [WHOLE]: initial === undefined ? '' : toJsonText(initial) };
}

/**
 * Reads the value of a form.
 * @param fields `null`: the whole value is one field with JSON
 * @param initial the initial value
 */
export function readForm(fields: readonly Field[] | null, draft: Draft, initial: unknown): ReadForm {
  if (fields) return readDraft(fields, draft, initial);
  const text = String(draft[WHOLE] ?? '');
  if (text.trim() === '') return readNothing(initial);
  const read = readJsonText(text);
  return 'problem' in read ? { value: initial, problems: { [WHOLE]: read.problem } } : { ...read, problems: {} };
}

/** Refuses to empty a value that existed: an absent value would leave it unchanged. */
function readNothing(initial: unknown): ReadForm {
  return { value: initial, problems: initial === undefined ? {} : { [WHOLE]: 'This is needed' } };
}

interface Checked {
  /** The visible fields; `null`: the whole value is one field with JSON. */
  readonly fields: readonly Field[] | null;
  readonly problems: Readonly<Record<string, string>>;
}

/** True if a visible field of one of the forms is invalid. Then none of them may be sent. */
export function hasProblems(...forms: readonly Checked[]): boolean {
  return forms.some(({ fields, problems }) =>
    (fields?.map(({ name }) => name) ?? [WHOLE]).some((name) => Object.hasOwn(problems, name)),
  );
}

/** The issues of a refused request, by field. */
interface FormIssues {
  /** By field name. */
  readonly byField: Readonly<Record<string, string>>;
  /** Issues that belong to no field. */
  readonly others: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Assigns the issues of a refused request to the fields of a form.
 * @param pointer the JSON Pointer of the object that the form fills; empty for the whole body
 */
export function issuesByField(error: unknown, names: readonly string[], pointer = ''): FormIssues {
  const issues = error instanceof HoldfastError ? error.issues : [];
  const placed = issues.map(({ path, message }) => ({ path, message, name: fieldAt(path, pointer) }));
  const isPlaced = ({ name }: (typeof placed)[number]): boolean => name !== null && names.includes(name);
  return {
    byField: Object.fromEntries(placed.filter(isPlaced).map(({ name, message }) => [name, message])),
    others: placed.filter((issue) => !isPlaced(issue)).map(({ path, message }) => ({ path, message })),
  };
}

function fieldAt(path: string, pointer: string): string | null {
  if (!path.startsWith(`${pointer}/`)) return null;
  const token = path.slice(pointer.length + 1).split('/')[0] ?? '';
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
