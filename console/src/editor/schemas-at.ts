import { isMembers } from '../form/fields-of.ts';

type Members = Readonly<Record<string, unknown>>;

/** Guards against schemas that refer to themselves. */
const MAX_DEPTH = 20;

/**
 * Finds the schemas of a value inside a document: references are followed, and of alternatives those are taken whose constants
 * are what stands there.
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
  /** What stands there. */
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

/** Follows a reference inside of the document of the schema. */
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

/** False if a constant of the schema is not what stands there. */
function mayBe({ properties }: Members, value: unknown): boolean {
  if (!isMembers(properties) || !isMembers(value)) return true;
  return Object.entries(properties).every(([name, member]) => {
    if (!isMembers(member) || !('const' in member) || !Object.hasOwn(value, name)) return true;
    const given = value[name];
    return given === member['const'] || given === '' || given === null;
  });
}
