import type { Fork } from 'holdfast/client';
import { readJsonText } from '../../../form/draft.ts';

/** What stands in the fields of a fork. */
interface ForkDraft {
  readonly checkpoint: string;
  /** JSON */
  readonly values: string;
  readonly asNode: string;
  readonly graph: string;
}

/** Reads the fields of a fork. What is empty is left out. */
export function readFork({
  checkpoint,
  values,
  asNode,
  graph,
}: ForkDraft): { readonly fork: Fork } | { readonly problem: string } {
  const read = values.trim() === '' ? { value: {} } : readJsonText(values);
  if ('problem' in read) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'An object is needed, such as {"amount": 60}' };
  return {
    fork: {
      checkpoint,
      ...(Object.keys(value).length > 0 && { values: { ...value } }),
      ...(asNode !== '' && { asNode }),
      ...(graph.trim() !== '' && { graph: graph.trim() }),
    },
  };
}
