import type { CodeToolContext } from '../activities/tools/code-tool-context.ts';
import type { ArgumentsOf, ToolSchema } from './tool-parameters.ts';
import type { PolicyInput } from './tool.ts';

/** Fields of a code tool besides its name and code. */
export interface CodeToolFields<S extends ToolSchema, Secret extends string> extends PolicyInput {
  /** What models read. */
  readonly description: string;
  /** A schema of the arguments: of zod or another library with Standard JSON Schema, or a JSON Schema. */
  readonly parameters: S;
  /** What it returns; another result is its failure. */
  readonly result?: ToolSchema;
  /** Names of the secrets that the code may use. */
  readonly secrets?: readonly Secret[];
}

/** The code of a tool with these parameters. @returns its result: JSON, or nothing */
export type CodeOf<S extends ToolSchema, Secret extends string> = (
  args: ArgumentsOf<S>,
  context: CodeToolContext<Secret>,
) => unknown;

interface ToolDefinition<S extends ToolSchema, Secret extends string> extends CodeToolFields<S, Secret> {
  /** The name that graphs and models use: 1 to 64 letters, digits, `_`, `.`, `:`, `-`. */
  readonly name: string;
  /** Does the work. It gets what the schema makes of the arguments, and returns JSON or nothing. */
  readonly execute: CodeOf<S, Secret>;
}

/** A code tool in the configuration. Its code receives arguments that match its parameters. */
export interface DefinedTool extends CodeToolFields<ToolSchema, string> {
  readonly name: string;
  readonly execute: (args: never, context: CodeToolContext) => unknown;
}

/**
 * Defines a code tool for `tools`. The arguments of `execute` have the type of `parameters`: a schema of zod or another
 * library with Standard JSON Schema, or a JSON Schema.
 */
export function defineTool<const S extends ToolSchema, const Secret extends string = never>(
  definition: ToolDefinition<S, Secret>,
): DefinedTool {
  return definition;
}
