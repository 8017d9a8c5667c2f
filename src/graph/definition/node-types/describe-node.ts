import { isJsonObject, own } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { describeCustom } from './custom.ts';
import type { NodeDescription, NodeTypeDescription, ShownFields } from './node-description.ts';
import { NODE_TYPES } from './node-types.ts';

/** Returns the description of a node by its type. A type that is not in the language is registered by code. */
export function describeNode(fields: JsonObject): NodeDescription {
  const { type } = fields;
  return describeType(typeof type === 'string' ? type : '') ?? describeCustom(fields);
}

/** Returns the description of a type; `null` if the type is not in the language. */
export function describeType(type: string): NodeTypeDescription | null {
  const types: Readonly<Record<string, NodeTypeDescription>> = NODE_TYPES;
  return own(types, type) ?? null;
}

/** Returns the fields of one kind over all types. They mean the same in every node, even one of a misspelt type. */
export function fieldsOfKind(kind: 'conversations' | 'schemas' | 'goto'): readonly string[] {
  const types: readonly NodeTypeDescription[] = Object.values(NODE_TYPES);
  return [...new Set(types.flatMap((type) => type[kind] ?? []))];
}

/** Returns the fields that are shown in one place, over all types. */
export function fieldsShownAs(place: keyof ShownFields): readonly string[] {
  const types: readonly NodeTypeDescription[] = Object.values(NODE_TYPES);
  return [...new Set(types.flatMap(({ shown }) => shown?.[place] ?? []))];
}

/** Returns the fields of a node as JSON, for readers that use descriptions. */
export function fieldsOf(node: object): JsonObject {
  if (isJsonObject(node)) return node;
  throw new TypeError('A node is an object');
}
