import { parsePointer } from '../json-pointer.ts';
import { isJsonList, isJsonObject, itemsIn, membersIn, own } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { priceOfText, spendUnits } from '../meter.ts';

/** A schema with the URI of its resource, against which its references resolve. */
export interface LocatedSchema {
  readonly schema: Json;
  readonly base: string;
}

/** The resources and anchors of a schema, by URI. Nothing is ever fetched. */
export class SchemaDocument {
  readonly root: LocatedSchema;
  readonly #targets = new Map<string, LocatedSchema>();
  readonly #dynamicAnchors = new Map<string, number>();
  /** True if a part depends on what other parts have not evaluated. */
  hasUnevaluated = false;

  constructor(schema: Json) {
    this.root = { schema, base: baseUriOf(schema, '') };
    this.#targets.set('', this.root);
    this.#register(schema, '');
  }

  /**
   * Returns the schema that a schema refers to.
   * @returns `null` if it has no reference; `undefined` if the reference leads to nothing
   */
  referred({ schema, base }: LocatedSchema): LocatedSchema | null | undefined {
    const reference = isJsonObject(schema) ? schema['$ref'] : undefined;
    return typeof reference === 'string' ? this.#find(base, reference) : undefined;
  }

  /** Like `referred`, for `$dynamicRef`. It must name an anchor that occurs once in the schema. */
  dynamicallyReferred({ schema, base }: LocatedSchema): LocatedSchema | null | undefined {
    const reference = isJsonObject(schema) ? schema['$dynamicRef'] : undefined;
    if (typeof reference !== 'string') return undefined;
    const name = reference.slice(1);
    const isLocal = reference.startsWith('#') && !name.startsWith('/') && name !== '';
    return isLocal && (this.#dynamicAnchors.get(name) ?? 0) <= 1 ? this.#find(base, reference) : null;
  }

  /** Returns the URI against which the parts of a schema resolve. */
  baseOf({ schema, base }: LocatedSchema): string {
    return baseUriOf(schema, base);
  }

  #register(schema: Json, outerBase: string): void {
    spendUnits(1);
    if (!isJsonObject(schema)) return;
    const base = baseUriOf(schema, outerBase);
    const located = { schema, base };
    if (typeof schema['$id'] === 'string') this.#targets.set(base, located);
    for (const anchor of [schema['$anchor'], schema['$dynamicAnchor']])
      if (typeof anchor === 'string') this.#targets.set(resolveUri(base, `#${anchor}`), located);
    const dynamic = schema['$dynamicAnchor'];
    if (typeof dynamic === 'string') this.#dynamicAnchors.set(dynamic, (this.#dynamicAnchors.get(dynamic) ?? 0) + 1);
    this.hasUnevaluated ||= 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
    for (const subschema of subschemasOf(schema)) this.#register(subschema.schema, base);
  }

  #find(base: string, reference: string): LocatedSchema | null {
    const [uri = '', fragment = ''] = splitOnce(resolveUri(base, reference), '#');
    if (fragment !== '' && !fragment.startsWith('/')) return this.#targets.get(`${uri}#${fragment}`) ?? null;
    const resource = this.#targets.get(uri);
    return resource ? followPointer(resource, fragment) : null;
  }
}

/** Follows a pointer into a resource; it may pass into another resource. */
function followPointer(resource: LocatedSchema, fragment: string): LocatedSchema | null {
  let { schema, base }: { schema: Json | undefined; base: string } = resource;
  for (const key of parsePointer(decodeFragment(fragment))) {
    spendUnits(1);
    schema = isJsonList(schema) ? schema[Number(key)] : isJsonObject(schema) ? own(schema, key) : undefined;
    if (schema === undefined) return null;
    base = baseUriOf(schema, base);
  }
  return { schema, base };
}

/** Returns the URI of the resource that a schema belongs to: its own `$id`, or that of the schema around it. */
function baseUriOf(schema: Json, outerBase: string): string {
  const id = isJsonObject(schema) ? ownTextMember(schema, '$id') : null;
  return id === null ? outerBase : (splitOnce(resolveUri(outerBase, id), '#')[0] ?? '');
}

function ownTextMember(schema: JsonObject, key: string): string | null {
  const value = own(schema, key);
  return typeof value === 'string' ? value : null;
}

/** Resolves a reference (RFC 3986, 5.2), as far as schemas need it: by scheme, path and fragment. */
function resolveUri(base: string, reference: string): string {
  spendUnits(priceOfText(base) + priceOfText(reference));
  if (SCHEME.test(reference)) return reference;
  if (reference.startsWith('#') || reference === '') return base + reference;
  const origin = originOfUri(base);
  const path = base.slice(origin.length);
  return origin + (reference.startsWith('/') ? '' : path.slice(0, path.lastIndexOf('/') + 1)) + reference;
}

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

/** Returns the scheme and the host of a URI; may be empty. */
function originOfUri(uri: string): string {
  const [scheme = ''] = SCHEME.exec(uri) ?? [];
  if (!uri.startsWith('//', scheme.length)) return scheme;
  const end = uri.indexOf('/', scheme.length + '//'.length);
  return end < 0 ? uri : uri.slice(0, end);
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** The form in which a keyword contains subschemas: one, a list, or an object of them. */
type SubschemaForm = 'schema' | 'list' | 'map';

/** The value to which a subschema applies: that of its schema, or another one, such as a member. */
type AppliesTo = 'same' | 'other';

/** The keywords of JSON Schema 2020-12 that contain subschemas. `definitions` and `dependencies` are from older drafts. */
const SUBSCHEMA_KEYWORDS: readonly (readonly [string, readonly [SubschemaForm, AppliesTo]])[] = [
  ...['not', 'if', 'then', 'else'].map((keyword) => [keyword, ['schema', 'same']] as const),
  ...['allOf', 'anyOf', 'oneOf'].map((keyword) => [keyword, ['list', 'same']] as const),
  ...['dependentSchemas', 'dependencies'].map((keyword) => [keyword, ['map', 'same']] as const),
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains', 'unevaluatedItems'].map(
    (keyword) => [keyword, ['schema', 'other']] as const,
  ),
  ['prefixItems', ['list', 'other']],
  ...['$defs', 'definitions', 'properties', 'patternProperties'].map((keyword) => [keyword, ['map', 'other']] as const),
];

/** In units of the meter. */
const PER_SCHEMA = 8;
const PER_MEMBER = 3;

/** A schema within another one. */
export interface Subschema {
  /** The path to it from the schema around it. */
  readonly path: readonly (string | number)[];
  readonly schema: Json;
  readonly appliesTo: AppliesTo;
}

/**
 * Returns the subschemas of a schema. Members that are not schemas are included, except lists in `dependencies`.
 */
export function subschemasOf(schema: JsonObject): readonly Subschema[] {
  spendUnits(PER_SCHEMA);
  return SUBSCHEMA_KEYWORDS.flatMap(([keyword, [form, appliesTo]]) => {
    const content = own(schema, keyword);
    if (content === undefined) return [];
    if (form === 'schema') return [{ path: [keyword], schema: content, appliesTo }];
    return subschemaEntries(content, form)
      .filter(([, member]) => keyword !== 'dependencies' || !isJsonList(member))
      .map(([key, member]) => ({ path: [keyword, key], schema: member, appliesTo }));
  });
}

function subschemaEntries(content: Json, form: 'list' | 'map'): readonly (readonly [string | number, Json])[] {
  const members = form === 'map' ? membersIn(content) : [...itemsIn(content).entries()];
  spendUnits(PER_MEMBER * members.length);
  return members;
}
