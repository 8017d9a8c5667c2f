import { isJsonObject, itemsIn, membersIn, own, isJsonList } from '../../values/json.ts';
import type { JsonObject, Json } from '../../values/json.ts';
import type { GraphDefinition, NodeDefinition } from '../definition.ts';
import { describeCustom } from './custom.ts';
import type { NodeDescription, NodeTypeDescription, VisibleFields } from './node-description.ts';
import { isChosenModel } from './model-fields.ts';
import { NODE_TYPES } from './node-types.ts';
import { valueAt, toPointer } from '../../values/json-pointer.ts';

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

/**
 * Returns the fields of one kind over all types. A field means the same in every node, even in one of an unknown type.
 */
export function fieldsOfKind(kind: 'conversations' | 'schemas' | 'goto'): readonly string[] {
  const types: readonly NodeTypeDescription[] = Object.values(NODE_TYPES);
  return [...new Set(types.flatMap((type) => type[kind] ?? []))];
}

/** Returns the fields that are visible in one location, over all types. */
export function fieldsVisibleAs(use: keyof VisibleFields): readonly string[] {
  const types: readonly NodeTypeDescription[] = Object.values(NODE_TYPES);
  return [...new Set(types.flatMap(({ visible }) => visible?.[use] ?? []))];
}

/** Returns the fields of a node as JSON, for code that reads descriptions. */
export function nodeFields(node: object): JsonObject {
  if (isJsonObject(node)) return node;
  throw new TypeError('A node is an object');
}

/** A name in the definition. */
export interface LocatedName {
  readonly name: string;
  /** JSON Pointer. */
  readonly path: string;
}

/** Returns one name, or a list of names, each with its path. */
export function namesAt(value: Json | undefined, path: string): readonly LocatedName[] {
  if (typeof value === 'string') return [{ name: value, path }];
  if (!isJsonList(value)) return [];
  return value.flatMap((item, index) => (typeof item === 'string' ? [{ name: item, path: `${path}/${index}` }] : []));
}

/** Returns the names in the given fields of a node. @param path of the node */
export function namesInFields({ fields, path }: FieldsAtPath, named: readonly string[] = []): readonly LocatedName[] {
  return named.flatMap((field) => {
    const value = fieldAt(fields, field);
    if (field === 'model' && isChosenModel(value)) return [];
    return [...namesAt(value, `${path}/${field}`), ...configuredToolsAt(value, `${path}/${field}`)];
  });
}

/** Returns the configured tools that a list of tools names in objects, such as `{ "tool": "pay", "args": {…} }`. */
function configuredToolsAt(value: Json | undefined, path: string): readonly LocatedName[] {
  return itemsIn(value).flatMap((item, index) => {
    const name = isJsonObject(item) ? item['tool'] : undefined;
    return typeof name === 'string' ? [{ name, path: `${path}/${index}/tool` }] : [];
  });
}

/** Like `namesInFields`, without the paths. */
export function namedEntries(node: object, named?: readonly string[]): readonly string[] {
  return namesInFields({ fields: nodeFields(node), path: '' }, named).map(({ name }) => name);
}

/** Returns the value of a field. @param field a name, or names joined by `/` for a nested field */
export function fieldAt(fields: JsonObject, field: string): Json | undefined {
  return valueAt(fields, field.split('/'));
}

/** A node's fields, and the JSON Pointer of the node. */
export interface FieldsAtPath {
  readonly fields: JsonObject;
  readonly path: string;
}

/** Returns the channels that a node writes, or uses as its conversation. */
export function channelsOfNode(node: FieldsAtPath): readonly LocatedName[] {
  const { fields, path } = node;
  const { write, onError } = fields;
  return [
    ...(typeof write === 'string' ? [{ name: write, path: `${path}/write` }] : memberNamesAt(write, `${path}/write`)),
    ...(isJsonObject(onError) ? memberNamesAt(onError['write'], `${path}/onError/write`) : []),
    ...namesInFields(node, fieldsOfKind('conversations')),
  ];
}

/** Returns the names of the members of an object. */
export function memberNamesAt(value: Json | undefined, path: string): readonly LocatedName[] {
  return membersIn(value).map(([name]) => ({ name, path: path + toPointer([name]) }));
}

/** Returns the graph inside a node: the name of a published graph, or a definition; `null` if there is none. */
export function innerGraph(node: NodeDefinition): string | GraphDefinition | null {
  const { definition } = innerGraphAt(nodeFields(node)) ?? {};
  return typeof definition === 'string' || isValidated(definition) ? definition : null;
}

/** Like `innerGraph`, but for a node that may be invalid; also returns the name of the field. */
export function innerGraphAt(fields: JsonObject): { readonly field: string; readonly definition: Json } | null {
  const { graph } = describeNode(fields);
  return graph ? { field: graph.definition, definition: fields[graph.definition] ?? null } : null;
}

/** True for any object, because a node is validated together with the graphs inside it. */
function isValidated(definition: Json | undefined): definition is GraphDefinition & JsonObject {
  return isJsonObject(definition);
}
