import { InvalidExpressionError, parseExpression } from '../../expression/expression.ts';
import { NODE_NAMES, RULE_NAMES, RUN_FIELDS } from '../../expression/names.ts';
import type { Expression } from '../../expression/expression.ts';
import type { ExpressionName } from '../../expression/names.ts';
import { APPROVAL_WORDS } from '../../definition/catalog.ts';
import { describeReducer } from '../../definition/reducers.ts';
import type { ValueKind } from '../../definition/reducers.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonObject } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectExpression, SubjectNode } from '../subject.ts';

/** Finds invalid expressions, and unknown channels that expressions read. */
export const expressionRule = defineRule({
  codes: ['INVALID_EXPRESSION', 'UNKNOWN_CHANNEL'],
  find: (subject) =>
    bareExpressions(subject).flatMap(({ source, names, path, words = [] }) => {
      try {
        return readIssues(subject, parseExpression(source, names), { path, code: 'INVALID_EXPRESSION' });
      } catch (thrown) {
        if (!(thrown instanceof InvalidExpressionError)) throw thrown;
        return [error('INVALID_EXPRESSION', path, thrown.message + didYouMean(source, words))];
      }
    }),
});

interface BareExpression extends SubjectExpression {
  readonly names: readonly ExpressionName[];
  /** Words that are valid instead of an expression. */
  readonly words?: readonly string[];
}

/** Returns the fields that are CEL without braces. */
export function bareExpressions({ channels, edges, nodes }: ValidationSubject): readonly BareExpression[] {
  const reducers = [...channels].flatMap(([name, { reducer }]) => {
    const source = isJsonObject(reducer) ? reducer['expr'] : undefined;
    return typeof source === 'string'
      ? [{ source, names: ['current', 'update'] as const, path: toPointer(['channels', name, 'reducer', 'expr']) }]
      : [];
  });
  const ofEdges = edges.flatMap((edge) => edge.expressions.map((expression) => ({ ...expression, names: NODE_NAMES })));
  return [...reducers, ...ofEdges, ...[...nodes.values()].flatMap(approvalRules)];
}

/** Returns the approval rules of a node that are CEL, not plain words. */
function approvalRules({ fields, path, description: { approvals } }: SubjectNode): readonly BareExpression[] {
  const rules = approvals && fields[approvals.rules];
  if (!approvals || !isJsonObject(rules)) return [];
  return Object.entries(rules).flatMap(([tool, rule]) =>
    typeof rule === 'string' && !APPROVAL_WORDS.includes(rule)
      ? [
          {
            source: rule,
            names: RULE_NAMES,
            path: path + toPointer([approvals.rules, tool]),
            words: APPROVAL_WORDS,
          },
        ]
      : [],
  );
}

/** The path of an expression, and the code of its issues. */
interface ReportTarget<Code extends string> {
  readonly path: string;
  readonly code: Code;
}

/**
 * Returns an issue for each unknown name that an expression reads, and for each use of `length` on a text or a list.
 */
export function readIssues<const Code extends string>(
  { channels }: ValidationSubject,
  { references }: Expression,
  { path, code }: ReportTarget<Code>,
): GraphIssues<Code | 'UNKNOWN_CHANNEL'> {
  const unknownChannels = [...references.channels].filter((name) => name !== '*' && !channels.has(name));
  const unknownFields = [...references.runFields].filter((name) => name !== '*' && !RUN_FIELDS.includes(name));
  const sized = [...references.lengths].filter((name) => hasLength(channels.get(name)));
  return [
    ...sized.map((name) => error(code, path, `"state.${name}" has no member "length". CEL writes size(state.${name})`)),
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

/** True for a channel that holds a text or a list, by its schema or its reducer. */
function hasLength(channel: JsonObject | undefined): boolean {
  const schema = channel?.['schema'];
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  if (type !== undefined) return [type].flat().every((one) => SIZED_TYPES.has(one));
  const holds = describeReducer(channel?.['reducer'])?.holds;
  return holds !== undefined && LIST_KINDS.has(holds);
}

/**
 * The types of JSON Schema whose values have a size and no members. `null` has neither, but may be allowed besides
 * them.
 */
const SIZED_TYPES: ReadonlySet<unknown> = new Set(['string', 'array', 'null']);

const LIST_KINDS: ReadonlySet<ValueKind> = new Set(['a list', 'a list of messages']);
