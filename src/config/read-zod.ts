import type { StandardSchema } from '../activities/tools/standard-schema.ts';

/** The effects of a zod schema that its JSON Schema does not state. */
export interface ZodTraits {
  /** True if parsing returns an accepted value unchanged, except that unknown names may be removed. */
  readonly isPlain: boolean;
  /** It accepts more values than its JSON Schema. */
  readonly coerces: boolean;
  /** It removes names that an object does not declare. */
  readonly strips: boolean;
}

/** The parts of a zod schema that define its effects (zod 4, `_zod.def`). */
interface ZodDefinition {
  readonly type: string;
  readonly check?: string;
  readonly coerce?: boolean;
  readonly normalize?: boolean;
  readonly discriminator?: string;
  readonly checks?: readonly SchemaPart[];
  readonly options?: readonly SchemaPart[];
  readonly catchall?: SchemaPart;
  readonly in?: SchemaPart;
}

interface SchemaPart {
  readonly _zod: { readonly def: ZodDefinition };
}

interface VisitedSchema {
  readonly zodSchema: SchemaPart;
  readonly jsonSchema: Record<string, unknown>;
}

/** Finds the effects of a zod schema, through the schemas that zod visits when it creates the JSON Schema. */
export function zodTraitsOf({ '~standard': { jsonSchema } }: StandardSchema): ZodTraits {
  const definitions: ZodDefinition[] = [];
  const override = ({ zodSchema }: VisitedSchema): void => void definitions.push(zodSchema._zod.def);
  jsonSchema.input({ target: TARGET, libraryOptions: { override } });
  const objects = definitions.filter(({ type }) => type === 'object');
  const isHidden = definitions.some(hidesNames);
  return {
    isPlain: definitions.length > 0 && definitions.every(isPlainSchema),
    coerces: definitions.some(doesCoerce),
    strips: !isHidden && objects.some(doesStrip) && !objects.some(isStrictObject),
  };
}

/** The JSON Schema of a zod schema's input, which refuses unknown names where zod would remove them. */
export function closedInput({ '~standard': { jsonSchema } }: StandardSchema): Record<string, unknown> {
  const override = ({ zodSchema, jsonSchema: part }: VisitedSchema): void => {
    const { def } = zodSchema._zod;
    if (def.type === 'object' && doesStrip(def)) part['additionalProperties'] = false;
  };
  return jsonSchema.input({ target: TARGET, libraryOptions: { override } });
}

export const TARGET = 'draft-2020-12';

function doesCoerce({ type, coerce, in: first }: ZodDefinition): boolean {
  return coerce === true || type === 'catch' || first?._zod.def.type === 'transform';
}

/** Merged objects know each other's names, and a step before a schema may read any name. */
function hidesNames({ type, in: first }: ZodDefinition): boolean {
  return type === 'intersection' || first?._zod.def.type === 'transform';
}

const doesStrip = ({ catchall }: ZodDefinition): boolean => catchall === undefined;
const isStrictObject = ({ catchall }: ZodDefinition): boolean => catchall?._zod.def.type === 'never';

const PLAIN_VALUES = ['string', 'number', 'boolean', 'null', 'enum', 'literal', 'template_literal'];

const PLAIN_TYPES: ReadonlySet<string> = new Set(
  PLAIN_VALUES.concat(
    ['any', 'unknown', 'never', 'object', 'array', 'tuple', 'record', 'union'],
    ['optional', 'nullable', 'nonoptional', 'readonly', 'lazy'],
  ),
);

/** Checks that change nothing, and that a JSON Schema can express. */
const PLAIN_CHECKS: ReadonlySet<string> = new Set(
  ['less_than', 'greater_than', 'multiple_of', 'number_format'].concat([
    'max_length',
    'min_length',
    'length_equals',
    'string_format',
  ]),
);

function isPlainSchema({ type, coerce, normalize, checks = [], ...union }: ZodDefinition): boolean {
  if (!PLAIN_TYPES.has(type) || coerce === true || normalize === true) return false;
  return checks.every(isPlainCheck) && (type !== 'union' || isPlainUnion(union));
}

function isPlainCheck({ _zod: { def } }: SchemaPart): boolean {
  return def.check !== undefined && PLAIN_CHECKS.has(def.check) && def.normalize !== true;
}

/** The first of several options that accepts an object removes names that only other options declare. */
function isPlainUnion({ discriminator, options = [] }: Omit<ZodDefinition, 'type'>): boolean {
  return discriminator !== undefined || options.every(({ _zod }) => PLAIN_VALUES.includes(_zod.def.type));
}
