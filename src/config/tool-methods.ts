import type { CodeOf, CodeToolFields, DefinedTool } from './define-tool.ts';
import type { ToolSchema } from './tool-parameters.ts';

interface ToolMethodFields<S extends ToolSchema, Secret extends string> extends CodeToolFields<S, Secret> {
  /** The method's name without it. */
  readonly name?: string;
}

/** An instance with methods that are tools. (The types know no decorators: they tell it from a tool by what it lacks.) */
export type ToolHolder = object & { readonly description?: never; readonly execute?: never };

/** A method that is a tool, and what it is called in messages. */
export interface ToolMethod {
  readonly origin: string;
  readonly definition: DefinedTool;
}

type ToolMethods = Map<string | symbol, ToolMethod>;

/**
 * Where an instance keeps them, by the method's name: a method that overrides another one takes its place. A symbol of all
 * modules, because a configuration may have been loaded in another way than the engine.
 */
const METHODS = Symbol.for('holdfast.toolMethods');

/**
 * Makes a method a tool; the instance that is handed over in `tools` is its `this`. A method that overrides it without being
 * decorated itself is the same tool.
 */
export function tool<const S extends ToolSchema, const Secret extends string = never>(
  fields: ToolMethodFields<S, Secret>,
) {
  return <This extends object>(
    _method: (this: This, ...given: Parameters<CodeOf<S, Secret>>) => unknown,
    context: MethodContext<This, S, Secret>,
  ): void => {
    const { name: method, access } = context;
    if (context.static) throw new TypeError(`@tool is for methods of instances; ${String(method)} is static`);
    context.addInitializer(function remember() {
      const execute: CodeOf<S, Secret> = (...given) => access.get(this).apply(this, given);
      const definition = { ...fields, name: fields.name ?? String(method), execute };
      const origin = `${this.constructor.name}.${String(method)}`;
      const methods: ToolMethods = toolMethodsOf(this) ?? new Map();
      Object.defineProperty(this, METHODS, { value: methods.set(method, { origin, definition }), configurable: true });
    });
  };
}

type MethodContext<This, S extends ToolSchema, Secret extends string> = ClassMethodDecoratorContext<
  This,
  (this: This, ...given: Parameters<CodeOf<S, Secret>>) => unknown
>;

/** The tools among an instance's methods, by the methods' names. @returns `null` where there are none */
export function toolMethodsOf(instance: object): ToolMethods | null {
  const found: unknown = Reflect.get(instance, METHODS);
  return found instanceof Map ? found : null;
}
