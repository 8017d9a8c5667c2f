import { useMemo, useState } from 'react';
import { completionsAt } from './completions.ts';
import type { Completion } from './completions.ts';

/** The completions that are shown. */
export interface Completions {
  readonly items: readonly Completion[];
  /** The place of the one that Enter takes. */
  readonly chosen: number;
  /** The place in the text that they are for. */
  readonly offset: number;
  readonly open: (offset: number) => void;
  readonly close: () => void;
  readonly move: (step: 1 | -1) => void;
}

interface Shown {
  readonly offset: number;
  readonly chosen: number;
}

/** Finds completions for the place in a text where they were asked for. */
export function useCompletions(text: string, schema: unknown): Completions {
  const [shown, setShown] = useState<Shown | null>(null);
  const items = useMemo(() => (shown === null ? [] : completionsAt(text, shown.offset, schema)), [text, shown, schema]);
  return {
    items,
    chosen: Math.min(shown?.chosen ?? 0, Math.max(items.length - 1, 0)),
    offset: shown?.offset ?? 0,
    open: (offset) => setShown({ offset, chosen: 0 }),
    close: () => setShown(null),
    move: (step) =>
      setShown((before) => before && { ...before, chosen: (before.chosen + step + items.length) % items.length }),
  };
}
