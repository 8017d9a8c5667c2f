import { useMemo, useState } from 'react';
import type { Draft, DraftValue } from './draft.ts';
import { fieldsFor } from './fields-for.ts';
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
}

/** Opens a form. @param initial what it begins with */
export function useForm(schema: Schema, initial: unknown): Form {
  const [begun] = useState(initial);
  const fields = useMemo(() => fieldsFor(schema, begun), [schema, begun]);
  const [draft, setDraft] = useState(() => openForm(fields, begun));
  const read = useMemo(() => readForm(fields, draft, begun), [fields, draft, begun]);
  return {
    fields,
    draft,
    ...read,
    set: (name, value) => setDraft((before) => ({ ...before, [name]: value })),
  };
}
