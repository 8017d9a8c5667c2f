import type { CodeOf, CodeToolFields, DefinedTool } from './define-tool.ts';
import type { ToolSchema } from './tool-parameters.ts';

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
    _method: (this: This, ...args: Parameters<CodeOf<S, Secret>>) => unknown,
    context: MethodContext<This, S, Secret>,
  ): void => {
    const { name: method, access } = context;
    if (context.static) throw new TypeError(`@tool is for methods of instances; ${String(method)} is static`);
    context.addInitializer(function remember() {
      const execute: CodeOf<S, Secret> = (...args) => access.get(this).apply(this, args);
      const definition = { ...fields, name: fields.name ?? String(method), execute };
      const origin = `${this.constructor.name}.${String(method)}`;
      const methods: ToolMethods = toolMethodsOf(this) ?? new Map();
      Object.defineProperty(this, METHODS, { value: methods.set(method, { origin, definition }), configurable: true });
    });
  };
}

type MethodContext<This, S extends ToolSchema, Secret extends string> = ClassMethodDecoratorContext<
  This,
  (this: This, ...args: Parameters<CodeOf<S, Secret>>) => unknown
>;

/** Returns the tool methods of an instance, by method name. @returns `null` without any */
export function toolMethodsOf(instance: object): ToolMethods | null {
  const found: unknown = Reflect.get(instance, METHODS);
  return found instanceof Map ? found : null;
}
