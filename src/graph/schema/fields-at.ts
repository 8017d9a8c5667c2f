import { z } from 'zod';

/** Returns the names of the fields that a schema has at a path, over all branches of its unions. */
export function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const there = path.reduce<readonly z.core.$ZodType[]>(
    (schemas, part) => schemas.flatMap(bare).flatMap((one) => partOf(one, part)),
    [schema],
  );
  return there.flatMap(bare).flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : []));
}

/** Unwraps optional schemas and unions into the schemas inside. */
function bare(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional) return bare(schema.unwrap());
  return schema instanceof z.ZodUnion ? schema.options.flatMap(bare) : [schema];
}

function partOf(schema: z.core.$ZodType, part: PropertyKey): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (!(schema instanceof z.ZodObject)) return [];
  const field: z.core.$ZodType | undefined = schema.shape[String(part)];
  return field ? [field] : [];
}
