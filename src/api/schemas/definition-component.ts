import type { Catalog } from '../../graph/definition/index.ts';
import { definitionSchema } from '../../graph/schema/index.ts';
import { isJsonList, isJsonObject, mapValues } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/** The name of the component in the API's description. */
export const DEFINITION = 'GraphDefinition';
const PLACE = `#/components/schemas/${DEFINITION}`;

/** The JSON Schema of definitions as a component of the API's description: its references begin at the document. */
export function definitionComponent(nodeTypes: Catalog['nodeTypes']): JsonObject {
  const { $schema: _dialect, ...schema } = definitionSchema(nodeTypes);
  return mapValues(schema, placed);
}

function placed(value: Json): Json {
  if (isJsonList(value)) return value.map(placed);
  if (!isJsonObject(value)) return value;
  return mapValues(value, (inner, name) =>
    name === '$ref' && typeof inner === 'string' ? inner.replace('#', PLACE) : placed(inner),
  );
}
