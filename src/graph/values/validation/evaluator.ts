import { isContainer, isJsonObject } from '../json.ts';
import type { Json } from '../json.ts';
import { spend, withoutCharge } from '../meter.ts';
import { checkersOf } from './all-keywords.ts';
import type { Checker, CompiledSchema, Evaluation } from './keyword.ts';
import { heldSchemas } from './keyword-places.ts';
import { Collector, VALID } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { SchemaDocument } from './schema-document.ts';
import type { LocatedSchema } from './schema-document.ts';

/** Schemas nested deeper than this, references included, refuse a value. Each level takes several stack frames. */
const MAX_LEVELS = 800;

const TOO_DEEP: Outcome = {
  errors: [{ path: [], keyword: 'depth', message: 'The value is nested too deeply for its schema' }],
  evaluated: null,
};

/** Compiles a schema. @returns checks a value, by which parts of the schema are compiled */
export function createEvaluator(schema: Json): (value: Json) => Outcome {
  const document = new SchemaDocument(schema);
  const compile = createCompiler(document);
  const root = compile(document.root);
  return (value) => new DocumentEvaluation(document, compile).check(root, value);
}

type Compile = (located: LocatedSchema) => CompiledSchema;

function createCompiler(document: SchemaDocument): Compile {
  const compiled = new Map<object, CompiledSchema>();
  const targets = findTargets(document);
  return (located) => {
    const { schema } = located;
    const known = isContainer(schema) ? compiled.get(schema) : undefined;
    if (known) return known;
    const made: CompiledSchema = { located, checkers: null, isTarget: targets.has(schema) };
    if (isContainer(schema)) compiled.set(schema, made);
    return made;
  };
}

/** Finds the schemas to which references lead, before the first check: what a check costs does not hang on earlier ones. */
function findTargets(document: SchemaDocument): ReadonlySet<Json> {
  const { root } = document;
  const targets = new Set([root.schema]);
  const found = new Map([[root.schema, root]]);
  for (const [schema, located] of found) {
    if (!isJsonObject(schema)) continue;
    const base = document.baseOf(located);
    const referred = [document.referred({ schema, base }), document.dynamicallyReferred({ schema, base })];
    for (const target of referred) {
      if (!target) continue;
      targets.add(target.schema);
      found.set(target.schema, target);
    }
    for (const { schema: inner } of heldSchemas(schema)) found.set(inner, { schema: inner, base });
  }
  return targets;
}

class DocumentEvaluation implements Evaluation {
  readonly #document: SchemaDocument;
  readonly #compile: Compile;
  readonly #known = new Map<CompiledSchema, Map<Json, Outcome>>();
  #levels = 0;

  constructor(document: SchemaDocument, compile: Compile) {
    this.#document = document;
    this.#compile = compile;
  }

  check(compiled: CompiledSchema, value: Json): Outcome {
    if (!compiled.isTarget) return this.#run(compiled, value);
    const outcomes = this.#known.get(compiled) ?? new Map<Json, Outcome>();
    this.#known.set(compiled, outcomes);
    const known = outcomes.get(value);
    if (known) {
      spend(1);
      return known;
    }
    const outcome = this.#run(compiled, value);
    outcomes.set(value, outcome);
    return outcome;
  }

  #run(compiled: CompiledSchema, value: Json): Outcome {
    const checkers = (compiled.checkers ??= withoutCharge(() => this.#checkersOf(compiled.located)));
    spend(1 + checkers.length);
    if (checkers.length === 0) return VALID;
    if (this.#levels >= MAX_LEVELS) return TOO_DEEP;
    const collector = new Collector();
    this.#levels += 1;
    for (const check of checkers) check(value, collector, this);
    this.#levels -= 1;
    if (this.#document.hasUnevaluated) return { errors: collector.errors, evaluated: collector };
    return collector.errors.length === 0 ? VALID : { errors: collector.errors, evaluated: null };
  }

  #checkersOf(located: LocatedSchema): readonly Checker[] {
    const { schema } = located;
    if (schema === true) return [];
    if (!isJsonObject(schema)) return [(_value, to) => to.fail('false', 'the schema takes no value here')];
    const base = this.#document.baseOf(located);
    return checkersOf({
      schema,
      part: (inner) => this.#compile({ schema: inner, base }),
      referred: (kind) => this.#referred({ schema, base }, kind),
    });
  }

  #referred(located: LocatedSchema, kind: 'static' | 'dynamic'): CompiledSchema {
    const target = kind === 'static' ? this.#document.referred(located) : this.#document.dynamicallyReferred(located);
    return this.#compile(target ?? NOTHING);
  }
}

/** Takes the place of a schema that is not there. */
const NOTHING: LocatedSchema = { schema: false, base: '' };
