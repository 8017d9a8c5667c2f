import type { Field } from './fields-of.ts';
import { WHOLE } from './read-form.ts';

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
