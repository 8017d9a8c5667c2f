import { useMemo, useState } from 'react';
import { fieldsFor } from './draft.ts';
import type { Draft, DraftValue } from './draft.ts';
import type { Field, Schema } from './fields.ts';
import { openForm, readForm } from './read-form.ts';

/** A form from a JSON Schema, with its current input. */
export interface Form {
  /** `null`: the whole value is written as JSON, in the one field `WHOLE`. */
  readonly fields: readonly Field[] | null;
  readonly draft: Draft;
  /** The value of the draft; where the draft has problems, its last valid value. */
  readonly value: unknown;
  /** By field name. */
  readonly problems: Readonly<Record<string, string>>;
  readonly set: (name: string, value: DraftValue) => void;
  /** True if the input differs from the initial value. */
  readonly isTouched: boolean;
  /** Restores the initial value. */
  readonly reset: () => void;
}

/** Opens a form. @param initial its initial value. @param kept input of the person from an earlier visit */
export function useForm(schema: Schema, initial: unknown, kept: Draft | null = null): Form {
  const [firstValue] = useState(initial);
  const fields = useMemo(() => fieldsFor(schema, firstValue), [schema, firstValue]);
  const opened = useMemo(() => openForm(fields, firstValue), [fields, firstValue]);
  const [draft, setDraft] = useState(kept ?? opened);
  const read = useMemo(() => readForm(fields, draft, firstValue), [fields, draft, firstValue]);
  return {
    fields,
    draft,
    ...read,
    set: (name, value) => setDraft((before) => ({ ...before, [name]: value })),
    isTouched: JSON.stringify(draft) !== JSON.stringify(opened),
    reset: () => setDraft(opened),
  };
}

/** Focuses the first invalid field, and opens the section around it if that is closed. */
export function showProblem(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>('[aria-invalid=true]');
  field?.closest('details')?.setAttribute('open', '');
  field?.focus();
}
