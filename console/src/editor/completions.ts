import { findNodeAtLocation, getLocation, getNodeValue, parseTree } from 'jsonc-parser';
import type { Location } from 'jsonc-parser';
import { isMembers } from '../form/fields.ts';

/** One suggestion for how the text can continue. */
interface Completion {
  readonly label: string;
  readonly about: string | null;
  /** Replaces the text between `from` and `to`. */
  readonly insert: string;
  readonly from: number;
  readonly to: number;
}

type Members = Readonly<Record<string, unknown>>;
type Range = Pick<Completion, 'from' | 'to'>;

const MOST = 50;

/** Suggests completions at an offset of a JSON text, from its JSON Schema: names of missing members, or values. */
export function completionsAt(text: string, offset: number, schema: unknown): readonly Completion[] {
  const location = getLocation(text, offset);
  const range = rangeAt(location, offset);
  const typed = text.slice(range.from, offset).replace(/^"/, '').toLowerCase();
  const found = location.isAtPropertyKey
    ? names(text, { location, schema, range })
    : values(text, { location, schema, range });
  const matching = found.filter(({ label }) => label.toLowerCase().includes(typed));
  const isFirst = ({ label }: Completion): boolean => label.toLowerCase().startsWith(typed);
  return [...matching.filter(isFirst), ...matching.filter((one) => !isFirst(one))].slice(0, MOST);
}

interface Question {
  readonly location: Location;
  readonly schema: unknown;
  readonly range: Range;
}

function names(text: string, { location, schema, range }: Question): readonly Completion[] {
  const path = location.path.slice(0, -1);
  const document = documentOf(text);
  const here = valueAt(text, path);
  const written = location.path.at(-1);
  const rest = text.slice(range.to);
  const hasColon = /^\s*:/.test(rest);
  const comma = /^\s*"/.test(rest) ? ',' : '';
  const isThere = (name: string): boolean => name !== written && isMembers(here) && Object.hasOwn(here, name);
  const known = schemasAt(schema, document, path).flatMap(({ properties }) =>
    isMembers(properties) ? Object.entries(properties) : [],
  );
  const members = new Map(known.filter(([name]) => !isThere(name)));
  return [...members].map(([name, member]) => ({
    label: name,
    about: aboutOf(member),
    insert: hasColon ? JSON.stringify(name) : `${JSON.stringify(name)}: ${initialValueOf(member)}${comma}`,
    ...range,
  }));
}

function values(text: string, { location, schema, range }: Question): readonly Completion[] {
  const options = new Map<string, string | null>();
  // A half-typed value must not select one of the schema's alternatives.
  const document = documentOf(`${text.slice(0, range.from)}null${text.slice(range.to)}`);
  for (const member of schemasAt(schema, document, location.path))
    for (const value of valuesOf(member)) options.set(JSON.stringify(value), aboutOf(member));
  return [...options].map(([insert, about]) => ({ label: insert.replaceAll('"', ''), about, insert, ...range }));
}

function documentOf(text: string): unknown {
  return valueAt(text, []);
}

function valueAt(text: string, path: readonly (string | number)[]): unknown {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, [...path]);
  return node ? getNodeValue(node) : undefined;
}

/** The range of the word at the cursor; empty outside of a word. */
function rangeAt({ previousNode: node }: Location, offset: number): Range {
  if (!node || node.type === 'object' || node.type === 'array') return { from: offset, to: offset };
  const end = node.offset + node.length;
  return offset > node.offset && offset <= end ? { from: node.offset, to: end } : { from: offset, to: offset };
}

function valuesOf(member: Members): readonly unknown[] {
  if ('const' in member) return [member['const']];
  if (Array.isArray(member['enum'])) return member['enum'];
  return member['type'] === 'boolean' ? [true, false] : [];
}

function aboutOf(member: unknown): string | null {
  const about = isMembers(member) ? member['description'] : null;
  return typeof about === 'string' ? about : null;
}

const INITIAL_VALUES: Readonly<Record<string, string>> = {
  string: '""',
  object: '{}',
  array: '[]',
  boolean: 'true',
  number: '0',
  integer: '1',
};

/** The initial value of a new member, as JSON. */
function initialValueOf(member: unknown): string {
  if (!isMembers(member)) return '';
  if ('const' in member) return JSON.stringify(member['const']);
  const alternatives = Array.isArray(member['anyOf']) ? member['anyOf'] : [];
  const type: unknown =
    member['type'] ?? alternatives.filter(isMembers).find(({ type }) => type !== undefined)?.['type'];
  return INITIAL_VALUES[String(type)] ?? '';
}

/** Limits the recursion for schemas that refer to themselves. */
const MAX_DEPTH = 20;

/**
 * Finds the schemas of a value inside a document. It follows references, and keeps the alternatives whose constants equal the
 * document's values.
 */
export function schemasAt(root: unknown, document: unknown, path: readonly (string | number)[]): readonly Members[] {
  let schemas = variantsOf(root, { root, value: document, depth: 0 });
  let value = document;
  for (const segment of path) {
    value = memberOf(value, segment);
    const inner = schemas.flatMap((schema) => innerOf(schema, segment));
    schemas = inner.flatMap((schema) => variantsOf(schema, { root, value, depth: 0 }));
  }
  return schemas;
}

interface At {
  readonly root: unknown;
  /** The value in the document. */
  readonly value: unknown;
  readonly depth: number;
}

function variantsOf(schema: unknown, at: At): readonly Members[] {
  if (!isMembers(schema) || at.depth > MAX_DEPTH) return [];
  const deeper = { ...at, depth: at.depth + 1 };
  const alternatives = [schema['anyOf'], schema['oneOf'], schema['allOf']].filter(Array.isArray).flat();
  const referred = typeof schema['$ref'] === 'string' ? [followReference(at.root, schema['$ref'])] : [];
  const others = [...alternatives, ...referred].flatMap((other) => variantsOf(other, deeper));
  return [schema, ...others].filter((variant) => mayBe(variant, at.value));
}

/** Resolves a `$ref` within the schema. */
function followReference(root: unknown, reference: string): unknown {
  const tokens = reference.replace(/^#\/?/, '').split('/');
  return tokens.filter((token) => token !== '').reduce<unknown>(memberOf, root);
}

function memberOf(value: unknown, name: string | number): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function innerOf(schema: Members, segment: string | number): readonly unknown[] {
  if (typeof segment === 'number') return [schema['items']];
  const named = memberOf(schema['properties'], segment);
  return [named ?? schema['additionalProperties']];
}

/** False if a constant of the schema differs from the value. */
function mayBe({ properties }: Members, value: unknown): boolean {
  if (!isMembers(properties) || !isMembers(value)) return true;
  return Object.entries(properties).every(([name, member]) => {
    if (!isMembers(member) || !('const' in member) || !Object.hasOwn(value, name)) return true;
    const given = value[name];
    return given === member['const'] || given === '' || given === null;
  });
}
