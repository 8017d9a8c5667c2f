import type { CodeToolContext } from '../activities/tools/code-tool.ts';
import type { ArgumentsOf, ToolSchema } from './tool-parameters.ts';
import type { PolicyInput } from './tools.ts';

/** What is said of a tool in code besides its name and its code. */
export interface CodeToolFields<S extends ToolSchema, Secret extends string> extends PolicyInput {
  readonly description: string;
  readonly parameters: S;
  /** The secrets that it may ask for, by name. */
  readonly secrets?: readonly Secret[];
}

/** Code that does what a tool with these parameters does. @returns its result: JSON, or nothing */
export type CodeOf<S extends ToolSchema, Secret extends string> = (
  args: ArgumentsOf<S>,
  context: CodeToolContext<Secret>,
) => unknown;

interface ToolDefinition<S extends ToolSchema, Secret extends string> extends CodeToolFields<S, Secret> {
  readonly name: string;
  readonly execute: CodeOf<S, Secret>;
}

/** A tool in code, as the configuration takes it: what its code is given has been checked against its parameters. */
export interface DefinedTool extends CodeToolFields<ToolSchema, string> {
  readonly name: string;
  readonly execute: (args: never, context: CodeToolContext) => unknown;
}

/**
 * A tool in code, for `tools`. The arguments of `execute` have the type that follows from `parameters`: a schema of zod, or
 * of any library that implements Standard JSON Schema, or a JSON Schema.
 */
export function defineTool<const S extends ToolSchema, const Secret extends string = never>(
  definition: ToolDefinition<S, Secret>,
): DefinedTool {
  return definition;
}
