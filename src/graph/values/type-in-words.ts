import { isJsonList } from './json.ts';
import type { Json } from './json.ts';

/** The type of a value, in words; the value itself may be a secret. */
export function typeInWords(value: Json): string {
  if (value === null) return 'null';
  if (isJsonList(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : (WORDS[typeof value] ?? typeof value);
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
};
