import { isJsonList, isJsonObject, itemsIn, membersIn, nameOfType, own, toItems } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { spendUnits } from '../meter.ts';
import { compilePattern } from '../regular-expression.ts';
import { quoteSchema } from './keyword.ts';
import { isOfType } from './value-keywords.ts';
import type { KeywordChecker, CompiledSchema, KeywordCompiler, ResultCollector } from './keyword.ts';

/** Keywords that check the value, or parts of it, against other schemas. */
export const SCHEMA_KEYWORDS: Readonly<Record<string, KeywordCompiler>> = {
  $ref: (_content, { referred }) => checkBySchema(referred('static')),
  $dynamicRef: (_content, { referred }) => checkBySchema(referred('dynamic')),
  allOf: (content, { part }) => {
    const parts = toItems(content).map(part);
    return (value, to, evaluation) => {
      for (const one of parts) to.add(evaluation.check(one, value));
    };
  },
  anyOf: (content, { part }) => {
    const parts = toItems(content).map(part);
    const types = toItems(content).map(schemaType);
    return (value, to, evaluation) => {
      const results = parts.map((one) => evaluation.check(one, value));
      const valid = results.filter(({ errors }) => errors.length === 0);
      for (const result of valid) to.addEvaluated(result.evaluated);
      if (valid.length > 0) return;
      const [only, ...others] = results.filter((_, at) => isOfType(value, types[at] ?? ''));
      if (others.length > 0 || types.includes(null)) to.fail('anyOf', `must satisfy one of ${parts.length} schemas`);
      else if (only) to.add(only);
      else to.fail('anyOf', `must be of type ${[...new Set(types)].join(' or ')}, not ${nameOfType(value)}`);
    };
  },
  oneOf: (content, { part }) => {
    const parts = toItems(content).map(part);
    return (value, to, evaluation) => {
      const valid = parts.map((one) => evaluation.check(one, value)).filter(({ errors }) => errors.length === 0);
      if (valid.length !== 1)
        to.fail('oneOf', `must satisfy exactly one of ${parts.length} schemas, and satisfies ${valid.length}`);
      else for (const result of valid) to.addEvaluated(result.evaluated);
    };
  },
  not: (content, { part }) => {
    const inner = part(content);
    return (value, to, evaluation) => {
      if (evaluation.check(inner, value).errors.length === 0) to.fail('not', 'must not satisfy the schema of "not"');
    };
  },
  if: (content, { part, schema }) => {
    const test = part(content);
    const [then, otherwise] = [own(schema, 'then'), own(schema, 'else')].map((branch) =>
      branch === undefined ? null : part(branch),
    );
    return (value, to, evaluation) => {
      const tested = evaluation.check(test, value);
      const isMet = tested.errors.length === 0;
      if (isMet) to.addEvaluated(tested.evaluated);
      const branch = isMet ? then : otherwise;
      if (branch) to.add(evaluation.check(branch, value));
    };
  },
  dependentSchemas: checkDependents,
  dependencies: checkDependents,

  properties: (content, { part }) => {
    const parts = new Map(membersIn(content).map(([name, schema]) => [name, part(schema)]));
    return (value, to, evaluation) => {
      if (!isJsonObject(value)) return;
      eachMember(value, (name, member) => {
        const schema = parts.get(name);
        if (!schema) return;
        to.addPart(name, evaluation.check(schema, member));
        to.members.add(name);
      });
    };
  },
  patternProperties: (content, { part }) => {
    const parts = membersIn(content).map(([source, schema]) => [compilePattern(source), part(schema)] as const);
    return (value, to, evaluation) => {
      if (!isJsonObject(value)) return;
      eachMember(value, (name, member) => {
        for (const [pattern, schema] of parts) {
          if (!pattern.matches(name)) continue;
          to.addPart(name, evaluation.check(schema, member));
          to.members.add(name);
        }
      });
    };
  },
  additionalProperties: (content, { part, schema }) => {
    const known = new Set(membersIn(own(schema, 'properties')).map(([name]) => name));
    const patterns = membersIn(own(schema, 'patternProperties')).map(([source]) => compilePattern(source));
    return checkMembers(
      'additionalProperties',
      part(content),
      (name) => known.has(name) || patterns.some((pattern) => pattern.matches(name)),
    );
  },
  propertyNames: (content, { part }) => {
    const names = part(content);
    return (value, to, evaluation) => {
      if (!isJsonObject(value)) return;
      eachMember(value, (name) => {
        const [error] = evaluation.check(names, name).errors;
        if (error) to.fail('propertyNames', `has a member whose name is not allowed: it ${error.message}`);
      });
    };
  },

  prefixItems: (content, { part }) => {
    const parts = toItems(content).map(part);
    return (value, to, evaluation) => {
      if (isJsonList(value))
        for (const [at, schema] of parts.slice(0, value.length).entries())
          checkItem(schema, { value, at, to, evaluation });
    };
  },
  items: (content, { part, schema }) => {
    const from = prefixLength(schema);
    const items = part(content);
    return (value, to, evaluation) => {
      if (isJsonList(value))
        for (let at = from; at < value.length; at += 1) checkItem(items, { value, at, to, evaluation });
    };
  },
  contains: (content, { part, schema }) => {
    const item = part(content);
    const least = numberOrDefault(own(schema, 'minContains'), 1);
    const most = numberOrDefault(own(schema, 'maxContains'), Number.POSITIVE_INFINITY);
    return (value, to, evaluation) => {
      if (!isJsonList(value)) return;
      let count = 0;
      for (const [at, one] of value.entries()) {
        if (evaluation.check(item, one).errors.length > 0) continue;
        count += 1;
        to.items.add(at);
      }
      if (count < least) to.fail('contains', `must contain at least ${least} items of a schema, and has ${count}`);
      if (count > most) to.fail('contains', `must contain at most ${most} items of a schema, and has ${count}`);
    };
  },
};

/** Keywords that apply to what no other keyword has evaluated, so they come last. */
export const LAST_KEYWORDS: Readonly<Record<string, KeywordCompiler>> = {
  unevaluatedProperties: (content, { part }) => {
    const member = part(content);
    return (value, to, evaluation) =>
      checkMembers('unevaluatedProperties', member, (name) => to.members.has(name))(value, to, evaluation);
  },
  unevaluatedItems: (content, { part }) => {
    const item = part(content);
    return (value, to, evaluation) => {
      if (!isJsonList(value)) return;
      for (const at of value.keys()) if (!to.items.has(at)) checkItem(item, { value, at, to, evaluation });
    };
  },
};

function checkBySchema(schema: CompiledSchema): KeywordChecker {
  return (value, to, evaluation) => to.add(evaluation.check(schema, value));
}

/** Checks schemas, or in older drafts lists of names, that apply to objects with a certain member. */
/** Returns the type that a schema requires by its `type`; `null` if it names none, or several. */
function schemaType(schema: Json): string | null {
  const type = isJsonObject(schema) ? own(schema, 'type') : undefined;
  return typeof type === 'string' ? type : null;
}

function checkDependents(content: Json, { part }: Parameters<KeywordCompiler>[1]): KeywordChecker {
  const entries = membersIn(content).map(([name, needs]) => ({
    name,
    names: itemsIn(needs),
    schema: isJsonList(needs) ? null : part(needs),
  }));
  return (value, to, evaluation) => {
    if (!isJsonObject(value)) return;
    spendUnits(entries.length);
    for (const { name, names, schema } of entries) {
      if (!Object.hasOwn(value, name)) continue;
      if (schema) to.add(evaluation.check(schema, value));
      spendUnits(names.length);
      for (const other of names)
        if (typeof other === 'string' && !Object.hasOwn(value, other))
          to.fail('dependencies', `${quoteSchema(other)} is missing beside ${quoteSchema(name)}`);
    }
  };
}

/** Checks all unknown members against one schema. */
function checkMembers(keyword: string, schema: CompiledSchema, isKnown: (name: string) => boolean): KeywordChecker {
  const isForbidden = schema.located.schema === false;
  return (value, to, evaluation) => {
    if (!isJsonObject(value)) return;
    eachMember(value, (name, member) => {
      if (isKnown(name)) return;
      if (isForbidden) to.fail(keyword, 'is no member that the schema knows', [name]);
      else to.addPart(name, evaluation.check(schema, member));
      to.members.add(name);
    });
  };
}

interface ItemCheck {
  readonly value: readonly Json[];
  readonly at: number;
  readonly to: ResultCollector;
  readonly evaluation: Parameters<KeywordChecker>[2];
}

function checkItem(schema: CompiledSchema, { value, at, to, evaluation }: ItemCheck): void {
  to.addPart(at, evaluation.check(schema, value[at] ?? null));
  to.items.add(at);
}

function eachMember(value: JsonObject, visit: (name: string, member: Json) => void): void {
  for (const name of Object.keys(value)) {
    spendUnits(2);
    visit(name, value[name] ?? null);
  }
}

function prefixLength(schema: JsonObject): number {
  return itemsIn(own(schema, 'prefixItems')).length;
}

function numberOrDefault(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
