import { GraphError } from '../errors.ts';
import { isJsonList } from '../json.ts';
import type { Json } from '../json.ts';

/** The error of a write that the channel's reducer can't fold. */
export function mismatch(expected: string, got: Json): GraphError {
  return new GraphError('CHANNEL_SCHEMA_VIOLATION', `its reducer takes ${expected}, not ${describe(got)}`);
}

export function asList(value: Json): readonly Json[] {
  if (value === null) return [];
  if (!isJsonList(value)) throw mismatch('a list', value);
  return value;
}

function describe(value: Json): string {
  if (value === null) return 'null';
  if (isJsonList(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
