import { isJsonObject, own } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { describeCustom } from './custom.ts';
import type { NodeDescription, NodeTypeDescription } from './node-description.ts';
import { NODE_TYPES } from './node-types.ts';

/** The description of a node by its type; any type that the language does not have is one of code. */
export function describeNode(fields: JsonObject): NodeDescription {
  const { type } = fields;
  return describeType(typeof type === 'string' ? type : '') ?? describeCustom(fields);
}

/** The description of a type; `null`: the language has none of that name. */
export function describeType(type: string): NodeTypeDescription | null {
  const types: Readonly<Record<string, NodeTypeDescription>> = NODE_TYPES;
  return own(types, type) ?? null;
}

/** The fields of one kind that any type has. They mean the same in every node, also in one whose type is misspelt. */
export function fieldsOfKind(kind: 'conversations' | 'schemas' | 'goto'): readonly string[] {
  const types: readonly NodeTypeDescription[] = Object.values(NODE_TYPES);
  return [...new Set(types.flatMap((type) => type[kind] ?? []))];
}

/** A node's fields as JSON, for readers that go by descriptions. */
export function fieldsOf(node: object): JsonObject {
  if (isJsonObject(node)) return node;
  throw new TypeError('A node is an object');
}
