import { parseExpression } from '../../graph/expression/index.ts';
import { compileJsonSchema, isJsonObject, messageOf, toList } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { describeDifference, firstDifference, toShortText } from '../../simulation/difference.ts';
import type { ValueDifference } from '../../simulation/difference.ts';
import type { ObservedRun } from './observed-run.ts';
import type { ExpectedOutcome } from './test-case.ts';

/** Returns one line for each expectation that the run does not meet. */
export function checkExpectations(expected: Omit<ExpectedOutcome, 'judge'>, run: ObservedRun): readonly string[] {
  const { status, path, output, schema, maxCostUsd, cel = [] } = expected;
  const why = run.error === null ? '' : `: ${run.error}`;
  return [
    ...(run.status === status ? [] : [`the run is ${run.status}, expected ${status}${why}`]),
    ...(path === undefined ? [] : formatDifference('path', firstDifference([...path], [...run.path]))),
    ...(output === undefined
      ? []
      : formatDifference('output', firstDifference(output, partNamedIn(output, run.output)))),
    ...(schema === undefined
      ? []
      : compileJsonSchema(schema)(run.output).map((issue) => `output${issue.path}: ${issue.message}`)),
    ...(maxCostUsd === undefined || run.spent.costUsd <= maxCostUsd
      ? []
      : [`the run cost ${run.spent.costUsd} USD, allowed are ${maxCostUsd}`]),
    ...toList(cel).flatMap((expression) => checkExpression(expression, run)),
  ];
}

function formatDifference(what: string, difference: ValueDifference | null): readonly string[] {
  return difference ? [describeDifference(what, difference)] : [];
}

/** The members of an actual object that the expected one names, at every depth. */
function partNamedIn(expected: Json, actual: Json): Json {
  if (!isJsonObject(expected) || !isJsonObject(actual)) return actual;
  return Object.fromEntries(
    Object.entries(actual).flatMap(([name, value]) => {
      const member = expected[name];
      return member === undefined ? [] : [[name, partNamedIn(member, value)]];
    }),
  );
}

function checkExpression(
  source: string,
  { status, path, output, state, tools, spent: { costUsd } }: ObservedRun,
): readonly string[] {
  try {
    const run = { status, path, tools, costUsd };
    const value = parseExpression(source, ['state', 'result', 'run']).evaluate({ state, result: output, run });
    return value === true ? [] : [`${source} is ${toShortText(value)}, expected true`];
  } catch (error) {
    return [messageOf(error)];
  }
}
