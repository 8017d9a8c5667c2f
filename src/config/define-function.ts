import { z } from 'zod';
import { CallError, REFUSED, UNCLEAR } from '../activities/calls/call-error.ts';
import { lazyCheck, PlainResult } from '../activities/calls/run-code.ts';
import type { RegisteredFunction } from '../activities/registered-code.ts';
import { validateBy } from '../activities/tools/standard-schema.ts';
import type { StandardSchema } from '../activities/tools/standard-schema.ts';
import type { ToolContext } from '../activities/tools/tool.ts';
import type { SchemaValue } from '../builder/schema-value.ts';
import { isCommand } from '../graph/definition/index.ts';
import type { FunctionCommand } from '../graph/definition/index.ts';
import { isJsonObject, messageOf, toJson, toPointer } from '../graph/values/index.ts';
import type { Json, JsonSchema, SchemaCheck, SchemaViolation } from '../graph/values/index.ts';
import { callFields, codeField, Safety } from './fields.ts';
import type { CallSettingsInput } from './fields.ts';
import { Parameters, SchemaResult } from './tool-parameters.ts';
import type { ArgumentsOf, ParsedParameters, ToolSchema } from './tool-parameters.ts';

/** The type of values that a schema accepts; a library's schema may transform them. */
type AcceptedBy<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : SchemaValue<S>;

type ReturnedBy<R> = [R] extends [never] ? unknown : AcceptedBy<R> | FunctionCommand | PlainResult;

interface FunctionTerms extends CallSettingsInput {
  /** How often a call may be made; `idempotent` by default. */
  readonly effect?: z.input<typeof Safety>;
}

interface FunctionDefinition<S extends ToolSchema, R extends ToolSchema> extends FunctionTerms {
  /** The schema of its arguments: of zod or another library with Standard JSON Schema, or a JSON Schema. */
  readonly parameters?: S;
  /** The schema of its result; any other result fails the node. */
  readonly result?: R;
  /** Receives the arguments as read by the schema. */
  readonly execute: (args: ArgumentsOf<S>, context: ToolContext) => ReturnedBy<R> | Promise<ReturnedBy<R>>;
}

/** A function of a configuration whose arguments match its schema. */
export interface DefinedFunction extends FunctionTerms {
  readonly parameters?: ToolSchema;
  readonly result?: ToolSchema;
  readonly execute: (args: never, context: ToolContext) => unknown;
}

/** A function, as configurations write it. */
export type FunctionInput = RegisteredFunction['execute'] | DefinedFunction;

/**
 * Defines a function for `functions`. The arguments of `execute` have the type of `parameters`, and what it returns has
 * the type of `result` or is a command.
 */
export function defineFunction<const S extends ToolSchema = true, const R extends ToolSchema = never>(
  definition: FunctionDefinition<S, R>,
): DefinedFunction {
  return definition;
}

type FunctionCode = (args: Json, context: ToolContext) => unknown;

const Defined = z
  .strictObject({
    ...callFields,
    parameters: Parameters.optional(),
    result: SchemaResult.optional(),
    effect: Safety.default('idempotent'),
    execute: codeField<FunctionCode>(),
  })
  .transform(({ parameters, result, execute, ...terms }) => ({
    ...terms,
    ...parameters,
    result,
    execute: withSchemas(execute, parameters, result),
  }));

const Plain = codeField<FunctionCode>().transform((execute) => ({
  execute,
  effect: 'idempotent' as const,
  timeout: undefined,
  retry: undefined,
}));

/** Functions that graphs call by name. They are `idempotent` unless they state another effect. */
export const Functions = z.record(z.string(), z.union([Plain, Defined]));

/** Reads the arguments of a function before its code, and checks its result after it. */
function withSchemas(
  execute: FunctionCode,
  parameters: ParsedParameters | undefined,
  result: JsonSchema | undefined,
): FunctionCode {
  if (!parameters && result === undefined) return execute;
  const read = createReader(parameters);
  const check = result === undefined ? null : lazyCheck(result);
  return async (args, context) => {
    const returned = await execute(await read(args), context);
    if (check) requireResult(check, returned);
    return returned;
  };
}

function createReader(given: ParsedParameters | undefined): (args: Json) => Promise<Json> {
  if (!given) return async (args) => args;
  const { schema, parameters } = given;
  const check = lazyCheck(parameters);
  return async (args) => {
    if (schema) return await readBy(schema, args);
    const [violation] = check(args);
    if (violation) throw badArguments(violation);
    return args;
  };
}

/** Errors of the schema's own code are those of a call that was not made. */
async function readBy(schema: StandardSchema, args: Json): Promise<Json> {
  try {
    const read = await validateBy(schema, args);
    if ('value' in read) return toJson(read.value);
    throw badArguments({ path: toPointer(read.path), message: read.message });
  } catch (error) {
    if (error instanceof CallError) throw error;
    const message = `The schema of the function can't read its arguments: ${messageOf(error)}`;
    throw new CallError('FUNCTION_FAILED', message, { ...REFUSED, cause: error });
  }
}

/** Commands need not fit the schema. What is no JSON is left to the caller of the function, which refuses it. */
function requireResult(check: SchemaCheck, returned: unknown): void {
  const isPlain = returned instanceof PlainResult;
  const value = jsonOrNone((isPlain ? returned.value : returned) ?? null);
  if (value === undefined) return;
  const [violation] = check(value);
  const steers = !isPlain && isJsonObject(value) && isCommand(value);
  if (violation && !steers) throw badResult(violation);
}

function jsonOrNone(value: unknown): Json | undefined {
  try {
    return toJson(value);
  } catch {
    return undefined;
  }
}

/** The code is not called. */
function badArguments({ path, message }: SchemaViolation): CallError {
  const text = `The arguments of the function break its parameters at ${path || '/'}: ${message}`;
  return new CallError('FUNCTION_FAILED', text, REFUSED);
}

/** The work is done, so a retry would not help. */
function badResult({ path, message }: SchemaViolation): CallError {
  const text = `The result of the function breaks its schema at ${path || '/'}: ${message}`;
  return new CallError('FUNCTION_FAILED', text, UNCLEAR);
}
