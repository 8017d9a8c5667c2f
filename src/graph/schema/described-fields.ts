import { z } from 'zod';

/** The descriptions of the fields of an object, by name. */
export type FieldTexts = Readonly<Record<string, string>>;

const fieldTextRegistry = z.registry<{ readonly texts: FieldTexts }>();

/** Gives every field of an object but `type` a text. The compiler refuses a call that omits one. @returns the schema */
export function describeSchemaFields<Shape extends z.core.$ZodLooseShape, Config extends z.core.$ZodObjectConfig>(
  schema: z.ZodObject<Shape, Config>,
  texts: Readonly<Record<Exclude<keyof Shape & string, 'type'>, string>>,
): z.ZodObject<Shape, Config> {
  fieldTextRegistry.add(schema, { texts });
  return schema;
}

/** Gives a schema that extends another one the descriptions of the other one. */
export function describeLike<Schema extends z.ZodObject>(described: z.ZodObject, schema: Schema): Schema {
  fieldTextRegistry.add(schema, { texts: fieldTextsOf(described) ?? {} });
  return schema;
}

/** Returns the descriptions of the fields of a schema that has some. */
export function fieldTextsOf(schema: z.core.$ZodType): FieldTexts | undefined {
  return fieldTextRegistry.get(schema)?.texts;
}

/** Returns the names of the fields that a schema has at a path, over all branches of its unions. */
export function fieldNamesAtPath(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const there = path.reduce<readonly z.core.$ZodType[]>(
    (schemas, part) => schemas.flatMap(unwrapSchema).flatMap((one) => schemasOfPart(one, part)),
    [schema],
  );
  return there.flatMap(unwrapSchema).flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : []));
}

/** Unwraps optional schemas and unions into the schemas inside. */
function unwrapSchema(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional) return unwrapSchema(schema.unwrap());
  return schema instanceof z.ZodUnion ? schema.options.flatMap(unwrapSchema) : [schema];
}

function schemasOfPart(schema: z.core.$ZodType, part: PropertyKey): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (!(schema instanceof z.ZodObject)) return [];
  const field: z.core.$ZodType | undefined = schema.shape[String(part)];
  return field ? [field] : [];
}
