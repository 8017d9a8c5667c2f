import type { CodeToolContext } from '../activities/tools/code-tool-context.ts';
import type { ArgumentsOf, ToolSchema } from './tool-parameters.ts';
import type { PolicyInput } from './tool.ts';

/** Fields of a code tool besides its name and code. */
export interface CodeToolFields<S extends ToolSchema, Secret extends string> extends PolicyInput {
  readonly description: string;
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
  readonly name: string;
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
