import { parseExpression } from '../../graph/expression/index.ts';
import {
  compileJsonSchema,
  isJsonObject,
  messageOf,
  toList,
  deepEqual,
  isJsonList,
  toPointer,
} from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { Expected } from './test-case.ts';

/** What expectations are about. */
export interface ObservedRun {
  readonly status: string;
  readonly path: readonly string[];
  readonly output: Json;
  readonly state: JsonObject;
  /** The tools that were called, in order. */
  readonly tools: readonly string[];
  readonly costUsd: number;
  /** Why the run failed; `null` if it did not. */
  readonly error: string | null;
}

/** Returns one line for each expectation that the run does not meet. */
export function checkExpectations(expected: Expected, run: ObservedRun): readonly string[] {
  const { status, path, output, schema, maxCostUsd, cel = [] } = expected;
  const why = run.error === null ? '' : `: ${run.error}`;
  return [
    ...(run.status === status ? [] : [`the run is ${run.status}, expected ${status}${why}`]),
    ...(path === undefined ? [] : shown('path', firstDifference([...path], [...run.path]))),
    ...(output === undefined ? [] : shown('output', firstDifference(output, partNamedIn(output, run.output)))),
    ...(schema === undefined
      ? []
      : compileJsonSchema(schema)(run.output).map((issue) => `output${issue.path}: ${issue.message}`)),
    ...(maxCostUsd === undefined || run.costUsd <= maxCostUsd
      ? []
      : [`the run cost ${run.costUsd} USD, allowed are ${maxCostUsd}`]),
    ...toList(cel).flatMap((expression) => checkExpression(expression, run)),
  ];
}

function shown(what: string, difference: Difference | null): readonly string[] {
  return difference ? [describeDifference(what, difference)] : [];
}

/** @returns one line, such as `output/euros is 20, expected 30` */
export function describeDifference(what: string, { path, expected, actual }: Difference): string {
  return `${what}${path} is ${textOf(actual)}, expected ${textOf(expected)}`;
}

const MAX_SHOWN = 200;

function textOf(value: Json | undefined): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The members of an actual object that the expected one names, at every depth. */
function partNamedIn(expected: Json, actual: Json): Json {
  if (!isJsonObject(expected) || !isJsonObject(actual)) return actual;
  return Object.fromEntries(
    Object.entries(actual).flatMap(([name, value]) => {
      const wanted = expected[name];
      return wanted === undefined ? [] : [[name, partNamedIn(wanted, value)]];
    }),
  );
}

function checkExpression(
  source: string,
  { status, path, output, state, tools, costUsd }: ObservedRun,
): readonly string[] {
  try {
    const run = { status, path, tools, costUsd };
    const value = parseExpression(source, ['state', 'result', 'run']).evaluate({ state, result: output, run });
    return value === true ? [] : [`${source} is ${textOf(value)}, expected true`];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Where two values part. `undefined`: there is nothing on that side. */
export interface Difference {
  /** JSON Pointer to the innermost place. */
  readonly path: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** Finds the first place at which two values differ, by the order of the expected one. @returns `null` if none does */
export function firstDifference(expected: Json, actual: Json): Difference | null {
  return deepEqual(expected, actual) ? null : descend(expected, actual, []);
}

/** @param path leads to two values that differ */
function descend(expected: Json, actual: Json, path: readonly string[]): Difference {
  const [one, other] = [membersOf(expected), membersOf(actual)];
  const areAlike = one && other && isJsonList(expected) === isJsonList(actual);
  if (!areAlike) return { path: toPointer(path), expected, actual };
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    const [before, after] = [one.get(key), other.get(key)];
    const inside = [...path, key];
    if (before === undefined || after === undefined)
      return { path: toPointer(inside), expected: before, actual: after };
    if (!deepEqual(before, after)) return descend(before, after, inside);
  }
  return { path: toPointer(path), expected, actual };
}

function membersOf(value: Json): ReadonlyMap<string, Json> | null {
  if (isJsonList(value)) return new Map(value.map((item, index) => [String(index), item]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : null;
}
