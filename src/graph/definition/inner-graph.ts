import { isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { GraphDefinition, NodeDefinition } from './definition.ts';
import { describeNode, fieldsOf } from './node-types/describe-node.ts';

/** Returns the graph inside a node: the name of a published graph, or a definition; `null` if there is none. */
export function innerGraph(node: NodeDefinition): string | GraphDefinition | null {
  const { definition } = innerGraphAt(fieldsOf(node)) ?? {};
  return typeof definition === 'string' || isValidated(definition) ? definition : null;
}

/** As `innerGraph`, for a node that may be invalid, with the name of the field. */
export function innerGraphAt(fields: JsonObject): { readonly field: string; readonly definition: Json } | null {
  const { graph } = describeNode(fields);
  return graph ? { field: graph.definition, definition: fields[graph.definition] ?? null } : null;
}

/** True for any object: a node is validated together with the graphs inside. */
function isValidated(definition: Json | undefined): definition is GraphDefinition & JsonObject {
  return isJsonObject(definition);
}
