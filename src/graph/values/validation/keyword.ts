import type { Json, JsonObject } from '../json.ts';
import type { LocatedSchema } from './schema-document.ts';
import { priceOfText, spendUnits } from '../meter.ts';
import { shortJson } from '../text.ts';

/** Checks one keyword of a schema. */
export type KeywordChecker = (value: Json, to: ResultCollector, evaluation: Evaluation) => void;

/** Makes the checker of a keyword from its content. @throws Error if a pattern in it is invalid */
export type KeywordCompiler = (content: Json, compiling: CompilationContext) => KeywordChecker;

/** What a keyword may use during compilation. */
export interface CompilationContext {
  readonly schema: JsonObject;
  /** Prepares a schema inside this one. */
  readonly part: (schema: Json) => CompiledSchema;
  /** Prepares the schema that a reference in this schema refers to. */
  readonly referred: (kind: 'static' | 'dynamic') => CompiledSchema;
}

/** A compiled schema. References in its checkers may lead back to it. */
export interface CompiledSchema {
  readonly located: LocatedSchema;
  readonly checkers: readonly KeywordChecker[];
  /** True if a reference leads to it, so several paths may check one value by it. */
  readonly isTarget: boolean;
}

/** The state of one check. */
export interface Evaluation {
  check(schema: CompiledSchema, value: Json): CheckResult;
}

/** A part of a value that violates a keyword. The message never contains the value. */
export interface SchemaError {
  readonly path: readonly (string | number)[];
  readonly keyword: string;
  readonly message: string;
}

/** The result of checking a value by a schema. */
export interface CheckResult {
  readonly errors: readonly SchemaError[];
  /** Members and items that a schema has evaluated; only collected where `unevaluated…` needs them. */
  readonly evaluated: EvaluatedParts | null;
}

export interface EvaluatedParts {
  readonly members: ReadonlySet<string>;
  readonly items: ReadonlySet<number>;
}

export const VALID: CheckResult = { errors: [], evaluated: null };

/** The limit of listed errors of one value. */
const MAX_ERRORS = 1_000;

/** Collects the results of the keywords of one schema. */
export class ResultCollector {
  readonly errors: SchemaError[] = [];
  readonly members = new Set<string>();
  readonly items = new Set<number>();

  fail(keyword: string, message: string, path: readonly (string | number)[] = []): void {
    spendUnits(5 + priceOfText(message));
    if (this.errors.length < MAX_ERRORS) this.errors.push({ path, keyword, message });
  }

  /** Adds the result of a schema for the same value. */
  add({ errors, evaluated }: CheckResult): void {
    for (const { keyword, message, path } of errors) this.fail(keyword, message, path);
    if (errors.length === 0) this.addEvaluated(evaluated);
  }

  /** Adds what a schema has evaluated, if the value satisfies it. */
  addEvaluated(evaluated: EvaluatedParts | null): void {
    if (!evaluated) return;
    spendUnits(evaluated.members.size + evaluated.items.size);
    for (const member of evaluated.members) this.members.add(member);
    for (const item of evaluated.items) this.items.add(item);
  }

  /** Adds the result of a schema for a part of the value. */
  addPart(key: string | number, { errors }: CheckResult): void {
    for (const { keyword, message, path } of errors) this.fail(keyword, message, [key, ...path]);
  }
}

const MAX_QUOTED_VALUE = 120;

/** Writes the text of a schema, cut to a readable length. The rest is never written. */
export function quoteSchema(value: Json): string {
  return shortJson(value, MAX_QUOTED_VALUE);
}
