import { DURATION_PATTERN, isJsonList, isJsonObject } from '../src/graph/values/index.ts';
import type { Json, JsonObject } from '../src/graph/values/index.ts';

/** Says in a few words which values a JSON Schema takes. */
export function typeText(schema: Json): string {
  if (!isJsonObject(schema)) return 'any JSON';
  return KINDS.map((kind) => kind(schema)).find((text) => text !== null) ?? 'any JSON';
}

/** The forms that the schemas of definitions, settings and requests have, the more special ones first. */
const KINDS: readonly ((schema: JsonObject) => string | null)[] = [
  ({ const: value }) => (value === undefined ? null : `\`${JSON.stringify(value)}\``),
  ({ enum: values }) => (isJsonList(values) ? values.map((value) => `\`${JSON.stringify(value)}\``).join(', ') : null),
  ({ $ref }) => (typeof $ref === 'string' ? nameOf($ref) : null),
  ({ anyOf }) => (isJsonList(anyOf) ? anyOfText(anyOf) : null),
  ({ allOf }) => (isJsonList(allOf) ? allOf.map(typeText).join(', ') : null),
  ({ pattern }) => (typeof pattern === 'string' && isDuration(pattern) ? 'duration' : null),
  ({ type, items }) => (type === 'array' ? `list of ${typeText(items ?? true)}` : null),
  objectText,
  ({ type, minimum }) => (type === 'integer' ? `whole number${from(minimum)}` : null),
  ({ type, minimum }) => (type === 'number' ? `number${from(minimum)}` : null),
  ({ type }) => (type === 'string' ? 'text' : null),
  ({ type }) => (type === 'boolean' ? '`true`, `false`' : null),
  ({ type }) => (type === 'null' ? '`null`' : null),
];

function nameOf(reference: string): string {
  return /__schema\d+$|\/Json$/.test(reference)
    ? 'any JSON'
    : reference === '#'
      ? 'a definition'
      : (reference.split('/').at(-1) ?? '');
}

/** Where a value has more forms, sections of their own describe them. */
const MOST_KINDS = 3;

function anyOfText(schemas: readonly Json[]): string {
  const texts = new Set(schemas.map(typeText));
  return texts.size > MOST_KINDS ? 'object' : [...texts].join(' or ');
}

function objectText({ type, properties, additionalProperties }: JsonObject): string | null {
  if (type !== 'object') return null;
  if (isJsonObject(properties)) return `{ ${Object.keys(properties).join(', ')} }`;
  return isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0
    ? `by name: ${typeText(additionalProperties)}`
    : 'object';
}

function isDuration(pattern: string): boolean {
  return pattern.includes('(ms|s|m|h|d)') || pattern.includes(DURATION_PATTERN);
}

function from(minimum: Json | undefined): string {
  return typeof minimum === 'number' && minimum > -Number.MAX_SAFE_INTEGER ? ` from ${minimum}` : '';
}
