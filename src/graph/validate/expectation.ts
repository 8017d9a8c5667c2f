import type { z } from 'zod';
import { isJsonList, isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { didYouMean } from '../values/did-you-mean.ts';
import { truncate } from '../values/text.ts';

/** Returns a message with the expected values, the actual one, and the most similar valid name. */
export function unlikeExpected(issues: readonly z.core.$ZodIssue[], value: Json): string {
  const expected = issues.flatMap(expectationsOf);
  const names = expected.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const meant = typeof value === 'string' ? didYouMean(value, names) : '';
  return `This must be ${eitherOf(expected.map(({ text }) => text))}, not ${toWords(value)}.${meant}`;
}

/** True if an issue is about the type of the whole value. */
export function isUnexpected({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union');
}

interface Expectation {
  readonly text: string;
  /** A valid word, for "did you mean". */
  readonly name?: string;
}

function expectationsOf(issue: z.core.$ZodIssue): readonly Expectation[] {
  if (issue.code === 'invalid_union') return issue.errors.flat().flatMap(expectationsOf);
  if (issue.code === 'invalid_value')
    return issue.values.map((value) => ({ text: JSON.stringify(value), name: String(value) }));
  return issue.code === 'invalid_type' ? [{ text: TYPES[issue.expected] ?? issue.expected }] : [];
}

const TYPES: Readonly<Partial<Record<string, string>>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function eitherOf(texts: readonly string[]): string {
  const all = [...new Set(texts)];
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

function toWords(value: Json): string {
  if (isJsonList(value)) return 'a list';
  return isJsonObject(value) ? 'an object' : truncate(JSON.stringify(value), MAX_SHOWN);
}

/** In characters of JSON: longer values are cut in messages. */
const MAX_SHOWN = 80;
