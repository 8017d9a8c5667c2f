import { isContainer, isJsonList, isJsonObject } from '../json.ts';
import type { Json } from '../json.ts';
import { spendUnits, withoutCharge } from '../meter.ts';
import { ResultCollector, VALID } from './keyword.ts';
import type {
  KeywordChecker,
  CompiledSchema,
  Evaluation,
  CheckResult,
  CompilationContext,
  KeywordCompiler,
} from './keyword.ts';
import { SchemaDocument } from './schema-document.ts';
import type { LocatedSchema } from './schema-document.ts';
import { LAST_KEYWORDS, SCHEMA_KEYWORDS } from './schema-keywords.ts';
import { VALUE_KEYWORDS } from './value-keywords.ts';

/**
 * The maximum nesting of schemas, including references; a deeper one refuses a value. Each level takes several stack
 * frames.
 */
const MAX_EVALUATION_LEVELS = 800;

const TOO_DEEP: CheckResult = {
  errors: [{ path: [], keyword: 'depth', message: 'The value is nested too deeply for its schema' }],
  evaluated: null,
};

/**
 * Prepares a schema. It is compiled on the first check without a charge, because another process may already have
 * compiled it; `findSchemaProblems` limits its size.
 * @returns a function that checks a value; it throws an Error if a pattern in the schema is invalid
 */
export function createEvaluator(schema: Json): (value: Json) => CheckResult {
  let compiled: CompiledDocument | null = null;
  return (value) => {
    const { document, root, hasReferences } = (compiled ??= withoutCharge(() =>
      compileAll(new SchemaDocument(schema)),
    ));
    return new DocumentEvaluation(document).check(root, hasReferences ? withoutSharedParts(value) : value);
  };
}

/**
 * Copies a value that contains the same object or list twice. Results are memoized by identity, which values lose when
 * they are stored. Each occurrence pays for a copy, so the price is the same before and after.
 */
function withoutSharedParts(value: Json): Json {
  const seen = new Set<Json>();
  let hasSharedParts = false;
  const visit = (part: Json, levels: number): void => {
    if (!isContainer(part) || levels > MAX_EVALUATION_LEVELS) return;
    const members = Object.values<Json>(part);
    spendUnits(VISIT_AND_COPY * (1 + members.length));
    hasSharedParts ||= seen.has(part);
    seen.add(part);
    for (const member of members) visit(member, levels + 1);
  };
  visit(value, 0);
  return hasSharedParts ? copyWithoutSharing(value, 0) : value;
}

const VISIT_AND_COPY = 2;

function copyWithoutSharing(value: Json, levels: number): Json {
  if (levels > MAX_EVALUATION_LEVELS) return value;
  if (isJsonList(value)) return value.map((item) => copyWithoutSharing(item, levels + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, copyWithoutSharing(member, levels + 1)]),
  );
}

/** Compiles the root and what it leads to, one part after the other: a chain of references may be long. */
function compileAll(document: SchemaDocument): CompiledDocument {
  const parts: UnfinishedSchema[] = [];
  const known = new Map<object, CompiledSchema>();
  const prepare: PrepareSchema = (located) => {
    const { schema } = located;
    const before = isContainer(schema) ? known.get(schema) : undefined;
    if (before) return before;
    const part: UnfinishedSchema = { located, checkers: [], isTarget: false };
    if (isContainer(schema)) known.set(schema, part);
    parts.push(part);
    return part;
  };
  const root = prepare(document.root);
  for (const part of parts) part.checkers = checkersOfPart(document, part.located, prepare);
  return { document, root, hasReferences: parts.some(({ isTarget }) => isTarget) };
}

interface CompiledDocument {
  readonly document: SchemaDocument;
  readonly root: CompiledSchema;
  readonly hasReferences: boolean;
}

type UnfinishedSchema = { -readonly [K in keyof CompiledSchema]: CompiledSchema[K] };

/** Creates the part of a schema; its checkers are added later. */
type PrepareSchema = (located: LocatedSchema) => UnfinishedSchema;

function checkersOfPart(
  document: SchemaDocument,
  located: LocatedSchema,
  prepare: PrepareSchema,
): readonly KeywordChecker[] {
  const { schema } = located;
  if (schema === true) return [];
  if (!isJsonObject(schema)) return [(_value, to) => to.fail('false', 'the schema takes no value here')];
  const own = { schema, base: document.baseOf(located) };
  return checkersOf({
    schema,
    part: (inner) => prepare({ schema: inner, base: own.base }),
    referred: (kind) => {
      const target = kind === 'static' ? document.referred(own) : document.dynamicallyReferred(own);
      const part = prepare(target ?? REFUSING_SCHEMA);
      part.isTarget = true;
      return part;
    },
  });
}

class DocumentEvaluation implements Evaluation {
  readonly #document: SchemaDocument;
  readonly #known = new Map<CompiledSchema, Map<Json, CheckResult>>();
  #levels = 0;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  check(compiled: CompiledSchema, value: Json): CheckResult {
    if (!compiled.isTarget) return this.#run(compiled, value);
    const results = this.#known.get(compiled) ?? new Map<Json, CheckResult>();
    this.#known.set(compiled, results);
    const known = results.get(value);
    if (known) {
      spendUnits(1);
      return known;
    }
    const result = this.#run(compiled, value);
    results.set(value, result);
    return result;
  }

  #run({ checkers }: CompiledSchema, value: Json): CheckResult {
    spendUnits(1 + checkers.length);
    if (checkers.length === 0) return VALID;
    if (this.#levels >= MAX_EVALUATION_LEVELS) return TOO_DEEP;
    const collector = new ResultCollector();
    this.#levels += 1;
    for (const check of checkers) check(value, collector, this);
    this.#levels -= 1;
    if (this.#document.hasUnevaluated) return { errors: collector.errors, evaluated: collector };
    return collector.errors.length === 0 ? VALID : { errors: collector.errors, evaluated: null };
  }
}

/** The target of a reference to nothing. */
const REFUSING_SCHEMA: LocatedSchema = { schema: false, base: '' };

const KEYWORD_COMPILERS: ReadonlyMap<string, KeywordCompiler> = new Map(
  Object.entries({ ...VALUE_KEYWORDS, ...SCHEMA_KEYWORDS, ...LAST_KEYWORDS }),
);

/** Returns the checkers of a schema's keywords, in the order in which they apply; unknown keywords have none. */
function checkersOf(compiling: CompilationContext): readonly KeywordChecker[] {
  const present = Object.entries(compiling.schema).sort(
    ([a], [b]) => Number(isEvaluatedLast(a)) - Number(isEvaluatedLast(b)),
  );
  return present.flatMap(([name, content]) => {
    const keyword = KEYWORD_COMPILERS.get(name);
    return keyword ? [keyword(content, compiling)] : [];
  });
}

function isEvaluatedLast(name: string): boolean {
  return Object.hasOwn(LAST_KEYWORDS, name);
}
