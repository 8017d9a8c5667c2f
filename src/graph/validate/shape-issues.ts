import type { z } from 'zod';
import { fieldNamesAtPath } from '../schema/described-fields.ts';
import { toPointer, valueAt } from '../values/json-pointer.ts';
import { own, isJsonList, isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { suggestNames, didYouMean } from '../values/did-you-mean.ts';
import type { Path } from '../values/json-pointer.ts';
import { error } from './rule.ts';
import type { GraphIssues } from './rule.ts';
import { truncate } from '../values/text.ts';

/** The path of a value in the definition, and names for its fields. */
interface SchemaLocation {
  readonly path: Path;
  /** Additional names for "did you mean" at the top of the value. */
  readonly alsoKnown?: readonly string[];
  /** What to write instead of fields of other engines. */
  readonly hints?: Readonly<Record<string, string>>;
}

export type ShapeIssues = GraphIssues<'INVALID_FIELD' | 'INVALID_DURATION'>;

/** Returns the issues of a value by a schema of the language, each at the innermost invalid value. */
export function shapeIssues(schema: z.ZodType, value: Json, location: SchemaLocation): ShapeIssues {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues
    .flatMap((issue) => innermostIssues(issue, []))
    .flatMap((found) => toShapeIssues(found, { schema, value, ...location }));
}

/** An issue of zod, with its path from the top of the value. */
interface PlacedZodIssue {
  readonly issue: z.core.$ZodIssue;
  readonly at: Path;
}

/** Replaces the issue of a union by the issues of its best matching branch, which has the fewest. */
function innermostIssues(issue: z.core.$ZodIssue, above: Path): readonly PlacedZodIssue[] {
  const at = [...above, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  if (issue.code !== 'invalid_union') return [{ issue, at }];
  const [meant] = issue.errors
    .filter((branch) => !branch.some(isTypeMismatch))
    .map((branch) => branch.flatMap((inner) => innermostIssues(inner, at)))
    .toSorted((one, other) => one.length - other.length);
  return meant ?? [{ issue, at }];
}

interface CheckedValue extends SchemaLocation {
  readonly schema: z.ZodType;
  readonly value: Json;
}

function toShapeIssues({ issue, at }: PlacedZodIssue, checked: CheckedValue): ShapeIssues {
  const path = [...checked.path, ...at];
  if (issue.code === 'unrecognized_keys') {
    const fields = [...new Set(fieldNamesAtPath(checked.schema, at))];
    const known = [...fields, ...(at.length === 0 ? (checked.alsoKnown ?? []) : [])];
    return issue.keys.map((key) => {
      const hint = own(checked.hints ?? {}, key);
      const others = known.filter((name) => name !== key);
      const instead = hint === undefined ? suggestNames(key, others, fields) : `. ${hint}`;
      return error('INVALID_FIELD', toPointer([...path, key]), `There is no field "${key}" here${instead}`);
    });
  }
  const found = valueAt(checked.value, at);
  const last = at.at(-1);
  if (found === undefined && last !== undefined)
    return [error('INVALID_FIELD', toPointer(path.slice(0, -1)), `The field "${last}" is missing`)];
  return [issueOfValue(issue, found ?? null, toPointer(path))];
}

function issueOfValue(issue: z.core.$ZodIssue, value: Json, path: string): ShapeIssues[number] {
  if (issue.code === 'custom' && issue.params?.['code'] === 'INVALID_DURATION')
    return error('INVALID_DURATION', path, issue.message);
  const message = isTypeMismatch({ ...issue, path: [] }) ? mismatchMessage([issue], value) : issue.message;
  return error('INVALID_FIELD', path, message);
}

/** Returns a message with the expected values, the actual one, and the most similar valid name. */
function mismatchMessage(issues: readonly z.core.$ZodIssue[], value: Json): string {
  const expected = issues.flatMap(expectationsOf);
  const names = expected.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const meant = typeof value === 'string' ? didYouMean(value, names) : '';
  return `This must be ${listAlternatives(expected.map(({ text }) => text))}, not ${formatValue(value)}.${meant}`;
}

/** True if an issue is about the type of the whole value. */
function isTypeMismatch({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union');
}

interface ExpectedValue {
  readonly text: string;
  /** A valid word, for "did you mean". */
  readonly name?: string;
}

function expectationsOf(issue: z.core.$ZodIssue): readonly ExpectedValue[] {
  if (issue.code === 'invalid_union') return issue.errors.flat().flatMap(expectationsOf);
  if (issue.code === 'invalid_value')
    return issue.values.map((value) => ({ text: JSON.stringify(value), name: String(value) }));
  return issue.code === 'invalid_type' ? [{ text: EXPECTED_TYPE_WORDS[issue.expected] ?? issue.expected }] : [];
}

const EXPECTED_TYPE_WORDS: Readonly<Partial<Record<string, string>>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function listAlternatives(texts: readonly string[]): string {
  const all = [...new Set(texts)];
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

function formatValue(value: Json): string {
  if (isJsonList(value)) return 'a list';
  return isJsonObject(value) ? 'an object' : truncate(JSON.stringify(value), MAX_QUOTED_JSON);
}

/** In characters of JSON. Longer values are cut in messages. */
const MAX_QUOTED_JSON = 80;
