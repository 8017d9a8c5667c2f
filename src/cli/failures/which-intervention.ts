import { text } from '../line/flags.ts';

/* How commands name one of several failures of a run that wait for a person. */

export const WHICH_FLAGS = {
  node: text('NODE', 'which node, where several wait'),
  id: text('ID', 'which intervention, where several wait'),
} as const;

interface Which {
  readonly node?: string | undefined;
  readonly id?: string | undefined;
}

/** The members of a request that name it; none where only one waits. */
export function whichIntervention({ node, id }: Which): { readonly node?: string; readonly id?: string } {
  return { ...(node !== undefined && { node }), ...(id !== undefined && { id }) };
}
