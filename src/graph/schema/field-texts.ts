import { z } from 'zod';

/** The descriptions of the fields of an object, by name. */
export type FieldTexts = Readonly<Record<string, string>>;

const registry = z.registry<{ readonly texts: FieldTexts }>();

/** Describes every field of an object but `type`. It compiles only if none is missing. @returns the schema */
export function describe<Shape extends z.core.$ZodLooseShape, Config extends z.core.$ZodObjectConfig>(
  schema: z.ZodObject<Shape, Config>,
  texts: Readonly<Record<Exclude<keyof Shape & string, 'type'>, string>>,
): z.ZodObject<Shape, Config> {
  registry.add(schema, { texts });
  return schema;
}

/** Gives a schema that extends another one the descriptions of that one. */
export function describeLike<Schema extends z.ZodObject>(described: z.ZodObject, schema: Schema): Schema {
  registry.add(schema, { texts: textsOf(described) ?? {} });
  return schema;
}

/** Returns the descriptions of the fields of a schema that has some. */
export function textsOf(schema: z.core.$ZodType): FieldTexts | undefined {
  return registry.get(schema)?.texts;
}
