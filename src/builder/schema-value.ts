import type { Json } from '../graph/values/index.ts';

/**
 * The type of a JSON Schema's values, by `const`, `enum`, `type`, `properties`, `required`, `additionalProperties` and
 * `items`. All else is open (`Json`), so that no allowed value is a type error.
 */
export type SchemaValue<S> = S extends { readonly const: infer Value extends Json }
  ? Value
  : S extends { readonly enum: readonly (infer Value extends Json)[] }
    ? Value
    : S extends { readonly type: infer Name }
      ? ValueOfType<Name extends readonly (infer One)[] ? One : Name, S>
      : Json;

type ValueOfType<Name, S> = Name extends keyof SimpleValues
  ? SimpleValues[Name]
  : Name extends 'array'
    ? ListValue<S>
    : Name extends 'object'
      ? ObjectValue<S>
      : Json;

interface SimpleValues {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type ListValue<S> = S extends { readonly prefixItems: unknown }
  ? readonly Json[]
  : S extends { readonly items: infer Item }
    ? readonly SchemaValue<Item>[]
    : readonly Json[];

type ObjectValue<S> = SchemaProperties<S, RequiredKey<S>> & MoreProperties<S>;

type SchemaProperties<S, Required extends string> = { readonly [Key in Required]: PropertyValue<S, Key> } & {
  readonly [Key in Exclude<PropertyKey<S>, Required>]?: PropertyValue<S, Key>;
};

type PropertyKey<S> = S extends { readonly properties: infer Members } ? keyof Members & string : never;

type PropertyValue<S, Key> = S extends { readonly properties: infer Members }
  ? Key extends keyof Members
    ? SchemaValue<Members[Key]>
    : Json
  : Json;

/** A list of texts that are unknown at compile time requires nothing. */
type RequiredKey<S> = S extends { readonly required: readonly (infer Key extends string)[] }
  ? string extends Key
    ? never
    : Key
  : never;

/** Objects are open by default. */
type MoreProperties<S> = S extends { readonly additionalProperties: false }
  ? S extends { readonly patternProperties: unknown }
    ? Readonly<Record<string, Json>>
    : unknown
  : Readonly<Record<string, Json>>;
