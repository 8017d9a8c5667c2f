import type { ToolSchema, ArgumentsOf } from './tool-parameters.ts';
import type { CodeToolContext } from '../activities/tools/tool.ts';
import type { PolicyInput } from './tool.ts';

interface ToolMethodFields<S extends ToolSchema, Secret extends string> extends CodeToolFields<S, Secret> {
  /** By default the method's name. */
  readonly name?: string;
}

/**
 * An instance with methods that are tools. TypeScript doesn't see decorators, so the type excludes the fields of a
 * tool.
 */
export type ToolHolder = object & { readonly description?: never; readonly execute?: never };

/** A method that is a tool, and its name in messages. */
export interface ToolMethod {
  readonly origin: string;
  readonly definition: DefinedTool;
}

type ToolMethods = Map<string | symbol, ToolMethod>;

/**
 * Key under which an instance keeps its tool methods by name, so that an override replaces its method. A global symbol,
 * because a configuration may have loaded this module twice.
 */
const METHODS = Symbol.for('holdfast.toolMethods');

/** Makes a method a tool; `this` is the instance in `tools`. An undecorated override keeps the tool's definition. */
export function tool<const S extends ToolSchema, const Secret extends string = never>(
  fields: ToolMethodFields<S, Secret>,
) {
  return <This extends object>(
    _method: (this: This, ...args: Parameters<CodeOfDefinition<S, Secret>>) => unknown,
    context: MethodContext<This, S, Secret>,
  ): void => {
    const { name: method, access } = context;
    if (context.static) throw new TypeError(`@tool is for methods of instances; ${String(method)} is static`);
    context.addInitializer(function remember() {
      const execute: CodeOfDefinition<S, Secret> = (...args) => access.get(this).apply(this, args);
      const definition = { ...fields, name: fields.name ?? String(method), execute };
      const origin = `${this.constructor.name}.${String(method)}`;
      const methods: ToolMethods = toolMethodsOf(this) ?? new Map();
      Object.defineProperty(this, METHODS, { value: methods.set(method, { origin, definition }), configurable: true });
    });
  };
}

type MethodContext<This, S extends ToolSchema, Secret extends string> = ClassMethodDecoratorContext<
  This,
  (this: This, ...args: Parameters<CodeOfDefinition<S, Secret>>) => unknown
>;

/** Returns the tool methods of an instance, by method name. @returns `null` without any */
export function toolMethodsOf(instance: object): ToolMethods | null {
  const found: unknown = Reflect.get(instance, METHODS);
  return found instanceof Map ? found : null;
}

/** Fields of a code tool besides its name and code. */
export interface CodeToolFields<S extends ToolSchema, Secret extends string> extends PolicyInput {
  /** The description for models. */
  readonly description: string;
  /** A schema of the arguments: of zod or another library with Standard JSON Schema, or a JSON Schema. */
  readonly parameters: S;
  /** The schema of the result; any other result fails the call. */
  readonly result?: ToolSchema;
  /** Names of the secrets that the code may use. */
  readonly secrets?: readonly Secret[];
}

/** The code of a tool with these parameters. @returns its result: JSON, or nothing */
export type CodeOfDefinition<S extends ToolSchema, Secret extends string> = (
  args: ArgumentsOf<S>,
  context: CodeToolContext<Secret>,
) => unknown;

interface ToolDefinition<S extends ToolSchema, Secret extends string> extends CodeToolFields<S, Secret> {
  /** The name that graphs and models use: 1 to 64 letters, digits, `_`, `.`, `:`, `-`. */
  readonly name: string;
  /** Executes the call. It receives the arguments as read by the schema, and returns JSON or nothing. */
  readonly execute: CodeOfDefinition<S, Secret>;
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
