import { isMembers, memberOf, fieldsOf, jsonField } from './fields.ts';
import type { Field, FieldKind, Schema } from './fields.ts';
import { visible } from '../parts/texts.ts';

/**
 * The content of an input: a text, a boolean, or labels of choices. For a boolean, an empty text means undecided.
 * `null` stands for input that the browser cannot parse, such as half a date.
 */
export type DraftValue = string | boolean | readonly string[] | null;

/** The content of a form's inputs, by field name. */
export type Draft = Readonly<Record<string, DraftValue>>;

/** The object that a draft describes, and the problems of its fields. */
interface ReadDraft {
  readonly value: Readonly<Record<string, unknown>>;
  readonly problems: Readonly<Record<string, string>>;
}

/** Converts an object to the content of inputs. */
export function toDraft(fields: readonly Field[], value: unknown): Draft {
  const members = isMembers(value) ? value : {};
  return Object.fromEntries(fields.map((field) => [field.name, write(field, memberOf(members, field.name))]));
}

/** True if the input of a field can show a value without loss. */
function showsValue(field: Field, value: unknown): boolean {
  if (value === undefined) return true;
  const read = READERS[field.kind](write(field, value), field);
  if ('problem' in read || JSON.stringify(read.value) !== JSON.stringify(value)) return false;
  return typeof value !== 'string' || !isText(field) || fitsInput(field, value);
}

/**
 * Reads the inputs.
 * @param base the object that filled the inputs. Its members stay as they are, or absent, unless their input has changed
 */
export function readDraft(fields: readonly Field[], draft: Draft, base: unknown): ReadDraft {
  const members = Object.entries(isMembers(base) ? base : {}).filter(([, member]) => member !== undefined);
  const value = new Map<string, unknown>(members);
  const problems = new Map<string, string>();
  for (const field of fields) {
    const given = memberOf(draft, field.name);
    if (isUntouched(field, given, value.get(field.name))) continue;
    const read = readField(field, given);
    if ('problem' in read) problems.set(field.name, read.problem);
    else if (read.value === undefined) value.delete(field.name);
    else value.set(field.name, read.value);
  }
  return { value: Object.fromEntries(value), problems: Object.fromEntries(problems) };
}

type ReadResult = { readonly value: unknown } | { readonly problem: string };

const isText = ({ kind }: Field): boolean => kind === 'text' || kind === 'long-text';

function write(field: Field, value: unknown): DraftValue {
  return WRITERS[field.kind](value, field);
}

/** Reads required fields that are still absent like inputs that were left empty. */
function isUntouched(field: Field, given: DraftValue | undefined, before: unknown): boolean {
  if (before === undefined && field.isRequired) return false;
  return JSON.stringify(given) === JSON.stringify(write(field, before));
}

function readField(field: Field, given: DraftValue = ''): ReadResult {
  if (given === null) return { problem: UNREADABLE[field.kind] ?? 'It is not complete' };
  if (given === '' && !isText(field)) return field.isRequired ? { problem: 'This is needed' } : { value: undefined };
  if (given === '' && !field.isRequired) return { value: undefined };
  return READERS[field.kind](given, field);
}

const NO_NUMBER = 'A number is needed';
const NO_INTEGER = 'A whole number is needed';
const UNREADABLE: Readonly<Partial<Record<FieldKind, string>>> = { number: NO_NUMBER, integer: NO_INTEGER };

const WRITERS: Readonly<Record<FieldKind, (value: unknown, field: Field) => DraftValue>> = {
  text: asText,
  'long-text': asText,
  number: asText,
  integer: asText,
  boolean: (value, { isRequired }) => (value === undefined && !isRequired ? '' : value === true),
  choice: (value, { options }) => labelsOf([value], options)[0] ?? '',
  choices: (value, { options }) => labelsOf(Array.isArray(value) ? value : [], options),
  json: (value) => (value === undefined ? '' : toJsonText(value)),
};

const READERS: Readonly<Record<FieldKind, (given: DraftValue, field: Field) => ReadResult>> = {
  text: (given) => ({ value: given }),
  'long-text': (given) => ({ value: given }),
  number: readNumber,
  integer: (given) => (/^-?\d+$/.test(String(given)) ? readNumber(given) : { problem: NO_INTEGER }),
  boolean: (given) => ({ value: given === true }),
  choice: (given, { options }) => ({ value: options.find(({ label }) => label === given)?.value }),
  choices: (given, { options }) => ({
    value: options.filter(({ label }) => Array.isArray(given) && given.includes(label)).map(({ value }) => value),
  }),
  json: (given) => readJsonText(String(given)),
};

function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function labelsOf(values: readonly unknown[], options: Field['options']): readonly string[] {
  const texts = new Set(values.map((value) => JSON.stringify(value)));
  return options.filter(({ value }) => texts.has(JSON.stringify(value))).map(({ label }) => label);
}

function readNumber(given: DraftValue): ReadResult {
  const number = Number(given);
  return Number.isFinite(number) ? { value: number } : { problem: NO_NUMBER };
}

/** Parses a text that a person has typed as JSON. */
export function readJsonText(text: string): ReadResult {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch (error) {
    return { problem: error instanceof Error ? `This is no JSON: ${error.message}` : 'This is no JSON' };
  }
}

/** True if the input keeps the text unchanged: browsers remove what the input's type does not allow. */
function fitsInput({ kind, inputType }: Pick<Field, 'kind' | 'inputType'>, text: string): boolean {
  if (visible(text) !== text) return false;
  if (kind === 'long-text') return true;
  return !text.includes('\n') && (FITS.get(inputType)?.(text) ?? true);
}

const isTrimmed = (text: string): boolean => text === text.trim();

const FITS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['email', isTrimmed],
  ['url', isTrimmed],
]);

function isDate(text: string): boolean {
  const time = /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Formats a value as JSON for editing. Invisible characters become JSON escapes, so that parsing restores them. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  if (visible(text) === text) return text;
  return text.replaceAll(/./gsu, (letter) => (visible(letter) === letter ? letter : escapeInJson(letter)));
}

function escapeInJson(letter: string): string {
  const units = Array.from({ length: letter.length }, (_, at) => letter.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/**
 * Creates the fields for a value, so that the form shows all of it: members without a field in the schema, and members whose
 * field cannot show them, are fields with JSON.
 * @param value `undefined` if there is none yet
 * @returns `null` if the whole value is one field with JSON
 */
export function fieldsFor(schema: Schema, value: unknown): readonly Field[] | null {
  const fields = fieldsOf(schema);
  if (fields === null || value === undefined) return fields;
  if (!isMembers(value)) return null;
  const names = new Set(fields.map(({ name }) => name));
  const others = Object.keys(value).filter((name) => !names.has(name));
  return [...fields.map((field) => fieldFor(field, memberOf(value, field.name))), ...others.map(jsonField)];
}

function fieldFor(field: Field, value: unknown): Field {
  const kinds: readonly FieldKind[] =
    field.kind === 'text' && field.inputType === 'text' ? ['text', 'long-text'] : [field.kind];
  const found = kinds.map((kind) => ({ ...field, kind })).find((one) => showsValue(one, value));
  return found ?? { ...field, kind: 'json' };
}
