import { isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { GraphDefinition, NodeDefinition } from './definition.ts';
import { describeNode, fieldsOf } from './node-types/describe-node.ts';

/** The graph that runs inside a node: the name of a published one, or its definition; `null`: there is none. */
export function innerGraph(node: NodeDefinition): string | GraphDefinition | null {
  const { definition } = innerGraphAt(fieldsOf(node)) ?? {};
  return typeof definition === 'string' || isValidated(definition) ? definition : null;
}

/** The same of a node that may not be valid, with the field in which it stands. */
export function innerGraphAt(fields: JsonObject): { readonly field: string; readonly definition: Json } | null {
  const { graph } = describeNode(fields);
  return graph ? { field: graph.definition, definition: fields[graph.definition] ?? null } : null;
}

/** A node's definition has been validated with the graphs inside. */
function isValidated(definition: Json | undefined): definition is GraphDefinition & JsonObject {
  return isJsonObject(definition);
}
