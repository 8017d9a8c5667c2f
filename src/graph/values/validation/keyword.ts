import type { Json, JsonObject } from '../json.ts';
import type { Collector, CheckResult } from './check-result.ts';
import type { LocatedSchema } from './schema-document.ts';

/** Checks one keyword of a schema. */
export type Checker = (value: Json, to: Collector, evaluation: Evaluation) => void;

/** Makes the checker of a keyword from its content. @throws Error if a pattern in it is invalid */
export type Keyword = (content: Json, compiling: Compiling) => Checker;

/** What a keyword may use while it is compiled. */
export interface Compiling {
  readonly schema: JsonObject;
  /** Prepares a schema inside this one. */
  readonly part: (schema: Json) => CompiledSchema;
  /** Prepares the schema that a reference of this one leads to. */
  readonly referred: (kind: 'static' | 'dynamic') => CompiledSchema;
}

/** A compiled schema; references in its checkers may lead back to it. */
export interface CompiledSchema {
  readonly located: LocatedSchema;
  readonly checkers: readonly Checker[];
  /** True if references lead to it: several paths may then check one value by it. */
  readonly isTarget: boolean;
}

/** The state of one check. */
export interface Evaluation {
  check(schema: CompiledSchema, value: Json): CheckResult;
}
