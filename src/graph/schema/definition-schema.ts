import { z } from 'zod';
import type { Catalog } from '../definition/catalog.ts';
import { GRAPH_NAME, NAME } from '../definition/definition.ts';
import { describeType } from '../definition/node-types/describe-node.ts';
import { mapValues } from '../values/collections.ts';
import { DURATION_PATTERN } from '../values/time.ts';
import { isJsonList, isJsonObject, own } from '../values/json.ts';
import { toJsonObject } from '../values/to-json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { describeLike, fieldTextsOf } from './described-fields.ts';
import { EDGE_DESCRIPTIONS } from './descriptions.ts';
import { AnyJsonSchema, TimeSpanSchema } from './field-schemas.ts';
import { EdgeSchemas, GraphSchema } from './graph-schema.ts';
import { CustomNodeSchema, NodeSchemas } from './node-schemas.ts';

type NodeTypes = NonNullable<Catalog['nodeTypes']>;

/**
 * Returns the shape of definitions as JSON Schema (2020-12), for completion and shape errors in editors.
 * Only `validateGraph` checks names and expressions.
 * @param nodeTypes the types that code registers
 */
export function definitionSchema(nodeTypes: NodeTypes = {}): JsonObject {
  const nodes = { ...NodeSchemas, ...registeredSchemas(nodeTypes) };
  const types = new Map<unknown, string>(Object.entries(nodes).map(([type, schema]) => [schema, type]));
  const kinds = new Map<unknown, string>(Object.entries(EdgeSchemas).map(([kind, schema]) => [schema, kind]));
  const whole = describeLike(
    GraphSchema,
    GraphSchema.extend({
      name: z.string().regex(GRAPH_NAME),
      channels: z.record(NameSchema, GraphSchema.shape.channels.unwrap().valueType).optional(),
      nodes: z.record(NameSchema, z.union(Object.values(nodes))),
      edges: z.array(z.union(Object.values(EdgeSchemas))),
    }),
  );
  const schema = z.toJSONSchema(whole, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (isAnyJson(zodSchema)) {
        Object.assign(jsonSchema, ANY_JSON);
        return;
      }
      const type = types.get(zodSchema);
      const kind = kinds.get(zodSchema);
      Object.assign(jsonSchema.properties ?? {}, describeType(type ?? '')?.editorSchemas);
      const texts = fieldTextsOf(zodSchema);
      if (texts) jsonSchema[FIELD_TEXTS_KEY] = texts;
      if (type !== undefined) Object.assign(jsonSchema, captionOfNode(type));
      if (kind !== undefined) Object.assign(jsonSchema, captionOfEdge(kind));
      if (isDurationSchema(zodSchema)) jsonSchema.pattern = zodSchema === TimeSpanSchema ? TIME_SPAN : DURATION_PATTERN;
    },
  });
  return { ...withFieldTexts(toJsonObject(schema)), title: 'Graph definition, version 1' };
}

const isAnyJson = (schema: unknown): boolean => schema === AnyJsonSchema;

/** The JSON Schema of any JSON value. It does not contain itself, because generators of types can't follow that. */
const ANY_JSON = {
  anyOf: [
    ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
    { type: 'array', items: {} },
    { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
  ],
};

/** The key under which an unfinished schema holds the descriptions of its fields. */
const FIELD_TEXTS_KEY = 'x-texts';

const NameSchema = z.string().regex(NAME);
const TIME_SPAN = String.raw`^(\d*[1-9]\d*(\.\d+)?|\d+\.\d*[1-9]\d*)(ms|s|m|h|d)$`;

function captionOfNode(type: string): JsonObject {
  const { summary, exactlyOne } = describeType(type) ?? {};
  return {
    ...titleAndDescription(`${type} node`, summary),
    ...(exactlyOne && { oneOf: exactlyOne.map((field) => ({ required: [field] })) }),
  };
}

function captionOfEdge(kind: string): JsonObject {
  return titleAndDescription(`${kind} edge`, own(EDGE_DESCRIPTIONS, kind));
}

function titleAndDescription(title: string, description: string | undefined): JsonObject {
  return { title, ...(description !== undefined && { description }) };
}

/** Lists only the names of the fields that registered types define, because their values may be templates. */
function registeredSchemas(nodeTypes: NodeTypes): Readonly<Record<string, z.ZodType>> {
  return mapValues(nodeTypes, ({ schema }, type) => {
    const { properties = {}, required = [] } = isJsonObject(schema) ? schema : {};
    const isRequired = (name: string): boolean => isJsonList(required) && required.includes(name);
    const fields = mapValues(isJsonObject(properties) ? properties : {}, (_, name) =>
      isRequired(name) ? z.unknown() : z.unknown().optional(),
    );
    return describeLike(CustomNodeSchema, CustomNodeSchema.extend({ ...fields, type: z.literal(type) }).loose());
  });
}

/**
 * Adds descriptions to the fields of an object, which holds them under `FIELD_TEXTS_KEY`. Several fields may share one schema.
 */
function withFieldTexts({ [FIELD_TEXTS_KEY]: texts, ...schema }: JsonObject): JsonObject {
  const described = mapValues(schema, (value) => withAllFieldTexts(value));
  const { properties } = described;
  if (!isJsonObject(texts) || !isJsonObject(properties)) return described;
  const withText = (field: Json, name: string): Json => {
    const description = own(texts, name);
    return description !== undefined && isJsonObject(field) ? { description, ...field } : field;
  };
  return { ...described, properties: mapValues(properties, withText) };
}

function withAllFieldTexts(value: Json): Json {
  if (isJsonList(value)) return value.map(withAllFieldTexts);
  return isJsonObject(value) ? withFieldTexts(value) : value;
}

/** True for the schema of a duration, which has the issue code `INVALID_DURATION`. */
function isDurationSchema({ _zod: { def } }: z.core.$ZodTypes): boolean {
  return (def.checks ?? []).some(({ _zod: check }) => 'params' in check.def && hasDurationCode(check.def.params));
}

function hasDurationCode(params: unknown): boolean {
  return isJsonObject(params) && params['code'] === 'INVALID_DURATION';
}
