/** The part of Standard Schema (standardschema.dev) that tools need. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => ValidationResult<Output> | Promise<ValidationResult<Output>>;
    readonly jsonSchema: { readonly input: ToJsonSchema; readonly output: ToJsonSchema };
  };
}

type ToJsonSchema = (options: JsonSchemaOptions) => Record<string, unknown>;

interface JsonSchemaOptions {
  readonly target: string;
  readonly libraryOptions?: Record<string, unknown>;
}

type ValidationResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Validates a value. @returns the schema's output, or its first issue */
export async function validateBy<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
): Promise<{ readonly value: Output } | { readonly path: readonly string[]; readonly message: string }> {
  const checked = await schema['~standard'].validate(value);
  if (checked.issues === undefined) return { value: checked.value };
  const [{ message, path = [] } = { message: 'It is not accepted' }] = checked.issues;
  return { message, path: path.map((part) => String(typeof part === 'object' ? part.key : part)) };
}
