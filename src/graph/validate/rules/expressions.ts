import { InvalidExpressionError, parseExpression } from '../../expression/expression.ts';
import { NODE_NAMES, RULE_NAMES, RUN_FIELDS } from '../../expression/names.ts';
import type { Expression } from '../../expression/expression.ts';
import type { ExpressionName } from '../../expression/names.ts';
import { APPROVAL_WORDS } from '../../definition/catalog.ts';
import { describeReducer } from '../../definition/reducers.ts';
import type { ValueKind } from '../../definition/reducers.ts';
import type { ValueType } from '../../expression/doubts.ts';
import type { AccessPath } from '../../expression/references.ts';
import { acceptedTypes, itemSchema, memberSchema } from '../../values/schema-parts.ts';
import type { SchemaPart } from '../../values/schema-parts.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonObject } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { findNullNames, nullNamesInEdge } from './null-names.ts';
import type { NullNames } from './null-names.ts';
import { defineRule, error, issueWarning } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectExpression, SubjectNode } from '../subject.ts';

/** Finds invalid expressions, unknown channels that expressions read, and parts that hardly do what was meant. */
export const expressionRule = defineRule({
  codes: ['INVALID_EXPRESSION', 'UNKNOWN_CHANNEL', 'DOUBTFUL_EXPRESSION'],
  find: (subject) =>
    bareExpressions(subject).flatMap(({ source, names, path, nullNames, words = [] }) => {
      try {
        return readIssues(subject, parseExpression(source, names), { path, code: 'INVALID_EXPRESSION', nullNames });
      } catch (thrown) {
        if (!(thrown instanceof InvalidExpressionError)) throw thrown;
        return [error('INVALID_EXPRESSION', path, thrown.message + didYouMean(source, words))];
      }
    }),
});

interface BareExpression extends SubjectExpression {
  readonly names: readonly ExpressionName[];
  readonly nullNames: NullNames;
  /** Words that are valid instead of an expression. */
  readonly words?: readonly string[];
}

/** Returns the fields that are CEL without braces. */
export function bareExpressions(subject: ValidationSubject): readonly BareExpression[] {
  const { channels, edges, nodes } = subject;
  const nullNamesIn = findNullNames(subject);
  const reducers = [...channels].flatMap(([name, { reducer }]) => {
    const source = isJsonObject(reducer) ? reducer['expr'] : undefined;
    return typeof source === 'string'
      ? [
          {
            source,
            names: ['current', 'update'] as const,
            nullNames: {},
            path: toPointer(['channels', name, 'reducer', 'expr']),
          },
        ]
      : [];
  });
  const ofEdges = edges.flatMap((edge) =>
    edge.expressions.map((expression) => ({
      ...expression,
      names: NODE_NAMES,
      nullNames: nullNamesInEdge(edge, expression),
    })),
  );
  return [...reducers, ...ofEdges, ...[...nodes.values()].flatMap((node) => approvalRules(node, nullNamesIn(node)))];
}

/** Returns the approval rules of a node that are CEL, not plain words. */
function approvalRules(
  { fields, path, description: { approvals } }: SubjectNode,
  nullNames: NullNames,
): readonly BareExpression[] {
  const rules = approvals && fields[approvals.rules];
  if (!approvals || !isJsonObject(rules)) return [];
  return Object.entries(rules).flatMap(([tool, rule]) =>
    typeof rule === 'string' && !APPROVAL_WORDS.includes(rule)
      ? [
          {
            source: rule,
            names: RULE_NAMES,
            nullNames,
            path: path + toPointer([approvals.rules, tool]),
            words: APPROVAL_WORDS,
          },
        ]
      : [],
  );
}

/** The path of an expression, the code of its issues, and the names that are always null there. */
interface ReportTarget<Code extends string> {
  readonly path: string;
  readonly code: Code;
  readonly nullNames: NullNames;
}

/** Returns an issue for each unknown name that an expression reads, and for each of its doubts. */
export function readIssues<const Code extends string>(
  { channels }: ValidationSubject,
  expression: Expression,
  { path, code, nullNames }: ReportTarget<Code>,
): GraphIssues<Code | 'UNKNOWN_CHANNEL' | 'DOUBTFUL_EXPRESSION'> {
  const { references } = expression;
  const unknownChannels = [...references.channels].filter((name) => name !== '*' && !channels.has(name));
  const unknownFields = [...references.runFields].filter((name) => name !== '*' && !RUN_FIELDS.includes(name));
  return [
    ...expression
      .doubts((at) => typesInChannels(channels, at))
      .map(({ message, hint, isCertain }) =>
        isCertain ? error(code, path, `${message}. ${hint}`) : issueWarning('DOUBTFUL_EXPRESSION', path, message, hint),
      ),
    ...Object.entries(nullNames)
      .filter(([name]) => references.names.has(name))
      .map(([name, { reason, hint }]) =>
        issueWarning('DOUBTFUL_EXPRESSION', path, `"${name}" is always null here: ${reason}`, hint),
      ),
    ...unknownChannels.map((name) =>
      error('UNKNOWN_CHANNEL', path, `No channel "${name}" is declared.${didYouMean(name, channels.keys())}`),
    ),
    ...unknownFields.map((name) =>
      error(
        code,
        path,
        `"run" has no field "${name}"; it has ${RUN_FIELDS.join(', ')}.${didYouMean(name, RUN_FIELDS)}`,
      ),
    ),
  ];
}

/** Returns the types of a value in a channel, by the channel's schema or its reducer; `null` if they are unknown. */
function typesInChannels(
  channels: ValidationSubject['channels'],
  [name, channel, ...inside]: AccessPath,
): ReadonlySet<ValueType> | null {
  const declared = name === 'state' && typeof channel === 'string' ? channels.get(channel) : undefined;
  if (!declared) return null;
  const { schema, reducer } = declared;
  const types = isJsonObject(schema) ? typesInSchema(schema, inside) : null;
  if (types || inside.length > 0) return types;
  const { holds = 'any value' } = describeReducer(reducer) ?? {};
  return TYPES_OF_KINDS[holds];
}

function typesInSchema(schema: JsonObject, inside: AccessPath): ReadonlySet<ValueType> | null {
  const part = inside.reduce<SchemaPart>(
    (outer, key) => (typeof key === 'number' ? itemSchema(outer, key) : memberSchema(outer, key)),
    { schema, root: schema },
  );
  const types = [...(acceptedTypes(part) ?? [])].map((type) => (type === 'integer' ? 'number' : type));
  const known = types.filter((type) => isValueType(type));
  return known.length > 0 && types.every((type) => type === 'null' || isValueType(type)) ? new Set(known) : null;
}

function isValueType(type: Json): type is ValueType {
  return VALUE_TYPES.has(type);
}

const VALUE_TYPES: ReadonlySet<Json> = new Set<ValueType>(['number', 'string', 'boolean', 'array', 'object']);

const TYPES_OF_KINDS: Readonly<Record<ValueKind, ReadonlySet<ValueType> | null>> = {
  'any value': null,
  'a list': new Set<ValueType>(['array']),
  'a list of messages': new Set<ValueType>(['array']),
  'an object': new Set<ValueType>(['object']),
  'a number': new Set<ValueType>(['number']),
  'true or false': new Set<ValueType>(['boolean']),
};
