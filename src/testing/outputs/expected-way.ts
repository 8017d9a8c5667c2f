import type { Json, JsonObject } from '../../graph/values/index.ts';
import { own } from '../../graph/values/index.ts';
import { describeDifference } from '../evaluation/check-expectations.ts';
import { firstDifference } from '../evaluation/first-difference.ts';
import type { Mismatch } from './mismatch.ts';

/** What a test expects of a run. */
export interface ExpectedWay {
  /** The nodes in the order in which they begin. */
  readonly path?: readonly string[] | undefined;
  /** Values of channels; those that are not named may have any. */
  readonly state?: JsonObject | undefined;
}

interface Way {
  readonly path: readonly string[];
  readonly state: JsonObject;
}

/** Finds where a run is not what was expected of it. @returns `null` if it is */
export function findMismatch({ path, state }: ExpectedWay, run: Way): Mismatch | null {
  const ofPath = path && mismatchOf('path', [...path], [...run.path]);
  return ofPath ?? (state ? mismatchOf('state', state, namedIn(state, run.state)) : null);
}

function namedIn(named: JsonObject, state: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(named).flatMap((name) => {
      const value = own(state, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function mismatchOf(kind: 'path' | 'state', wanted: Json, given: Json): Mismatch | null {
  const difference = firstDifference(wanted, given);
  if (!difference) return null;
  const { expected = null, actual = null } = difference;
  return { kind, node: null, message: describeDifference(kind, difference), expected, actual };
}
