import { isJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

/** PostgreSQL refuses to index more than 1 MiB of words. */
const MAX_CHARACTERS = 100_000;

/** What an entry is found by: its key, and the texts and numbers of its value, up to 100,000 characters. */
export function wordsOf(key: string, value: Json): string {
  const words = [key];
  let left = MAX_CHARACTERS - key.length;
  const open: Json[] = [value];
  while (open.length > 0 && left > 0) {
    const next = open.pop();
    if (typeof next === 'string' || typeof next === 'number') {
      const word = String(next).slice(0, left);
      words.push(word);
      left -= word.length + 1;
    } else for (const inner of valuesIn(next).toReversed()) open.push(inner);
  }
  return words.join(' ');
}

function valuesIn(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value;
  return value !== undefined && isJsonObject(value) ? Object.values(value) : [];
}
