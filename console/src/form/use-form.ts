import { useMemo, useState } from 'react';
import { fieldsFor } from './draft.ts';
import type { Draft, DraftValue } from './draft.ts';
import type { Field, Schema } from './fields-of.ts';
import { openForm, readForm } from './read-form.ts';

/** A form that a JSON Schema describes, and what stands in it. */
export interface Form {
  /** `null`: the whole value is written as JSON, in the one field `WHOLE`. */
  readonly fields: readonly Field[] | null;
  readonly draft: Draft;
  /** What the draft means; where it has problems, what it meant before them. */
  readonly value: unknown;
  /** By the names of fields. */
  readonly problems: Readonly<Record<string, string>>;
  readonly set: (name: string, value: DraftValue) => void;
  /** True if something else stands in it than what it has begun with. */
  readonly isTouched: boolean;
  /** Puts back what it has begun with. */
  readonly reset: () => void;
}

/** Opens a form. @param initial what it begins with. @param kept what somebody has written in it before */
export function useForm(schema: Schema, initial: unknown, kept: Draft | null = null): Form {
  const [begun] = useState(initial);
  const fields = useMemo(() => fieldsFor(schema, begun), [schema, begun]);
  const opened = useMemo(() => openForm(fields, begun), [fields, begun]);
  const [draft, setDraft] = useState(kept ?? opened);
  const read = useMemo(() => readForm(fields, draft, begun), [fields, draft, begun]);
  return {
    fields,
    draft,
    ...read,
    set: (name, value) => setDraft((before) => ({ ...before, [name]: value })),
    isTouched: JSON.stringify(draft) !== JSON.stringify(opened),
    reset: () => setDraft(opened),
  };
}

/** Puts the focus on the first field that something is wrong with, also where it stands in a part that is closed. */
export function showProblem(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>('[aria-invalid=true]');
  field?.closest('details')?.setAttribute('open', '');
  field?.focus();
}
