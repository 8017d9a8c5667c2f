/** A JSON Schema, as approvals and channels have it. */
export type Schema = unknown;

export type FieldKind = 'text' | 'long-text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json';

/** A field of a form, for one member of an object. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description: string | null;
  /** The values to choose from; others are shown as JSON. */
  readonly options: readonly Option[];
  /** The bounds of a number, as hints for the browser. The API checks them. */
  readonly bounds: { readonly min?: number; readonly max?: number; readonly step: number | 'any' };
  /** The `type` of the input of a text. */
  readonly inputType: string;
}

export interface Option {
  readonly label: string;
  readonly value: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Creates the fields for an object that a schema describes: texts, numbers, booleans and choices. Any other member is a field
 * with JSON.
 * @returns `null` if the schema does not describe an object with known members
 */
export function fieldsOf(schema: Schema): readonly Field[] | null {
  if (!isMembers(schema) || !isMembers(schema['properties'])) return null;
  if (schema['type'] !== undefined && schema['type'] !== 'object') return null;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).map(([name, member]) => ({
    ...describeMember(isMembers(member) ? member : {}),
    name,
    label: textOf(member, 'title') ?? name,
    description: textOf(member, 'description'),
    isRequired: required.includes(name),
  }));
}

/** A field for a member that no schema describes. */
export function jsonField(name: string): Field {
  const bounds = { step: 'any' } as const;
  return {
    name,
    label: name,
    kind: 'json',
    isRequired: false,
    description: null,
    options: [],
    bounds,
    inputType: 'text',
  };
}

function describeMember(member: Members): Pick<Field, 'kind' | 'options' | 'bounds' | 'inputType'> {
  const options = optionsOf(member);
  const items = isMembers(member['items']) ? optionsOf({ ...member['items'], oneOf: member['items']['anyOf'] }) : [];
  const ofNumber = { ...boundsOf(member, 'minimum', 'min'), ...boundsOf(member, 'maximum', 'max') };
  const step = numberOf(member, 'multipleOf') ?? (member['type'] === 'integer' ? 1 : 'any');
  return {
    kind: kindOf(member, options, items),
    options: options.length > 0 ? options : items,
    bounds: { ...ofNumber, step },
    inputType: INPUT_TYPES.get(textOf(member, 'format') ?? '') ?? 'text',
  };
}

/** Formats with a native input type. */
const INPUT_TYPES: ReadonlyMap<string, string> = new Map([
  ['email', 'email'],
  ['uri', 'url'],
  ['date', 'date'],
]);

const LONG_TEXT = 200;

/**
 * @param options the values of a choice of one; empty without any
 * @param items the values of a choice of several
 */
function kindOf(member: Members, options: readonly Option[], items: readonly Option[]): FieldKind {
  if (options.length > 0) return 'choice';
  const { type } = member;
  if (type === 'array' && items.length > 0) return 'choices';
  if (type === 'string') return isLong(member) ? 'long-text' : 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json';
}

function isLong(member: Members): boolean {
  return (numberOf(member, 'maxLength') ?? 0) > LONG_TEXT || LONG_NAMES.test(textOf(member, 'title') ?? '');
}

const LONG_NAMES = /message|body|text|reply|comment/i;

function optionsOf(member: Members): readonly Option[] {
  const { enum: values, oneOf } = member;
  if (Array.isArray(values)) return values.map((value: unknown) => ({ value, label: labelOf(value) }));
  if (!Array.isArray(oneOf) || !oneOf.every((one) => isMembers(one) && 'const' in one)) return [];
  return oneOf.filter(isMembers).map((one) => ({
    value: one['const'],
    label: textOf(one, 'title') ?? labelOf(one['const']),
  }));
}

const labelOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function boundsOf(
  member: Members,
  keyword: string,
  name: 'min' | 'max',
): { readonly min?: number; readonly max?: number } {
  const bound = numberOf(member, keyword);
  return bound === null ? {} : { [name]: bound };
}

function textOf(member: unknown, name: string): string | null {
  const value = isMembers(member) ? member[name] : null;
  return typeof value === 'string' ? value : null;
}

function numberOf(member: Members, name: string): number | null {
  const value = member[name];
  return typeof value === 'number' ? value : null;
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own member of an object. */
export function memberOf<Value>(members: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
