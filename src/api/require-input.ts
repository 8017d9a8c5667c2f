import { checkInput } from '../graph/check-input.ts';
import type { CompiledGraph } from '../graph/compile.ts';
import type { JsonObject } from '../graph/json.ts';
import { ApiError } from './errors.ts';

/** @throws ApiError 422 when a run of the graph could not begin with the input, with all that is wrong with it */
export function requireInput(graph: CompiledGraph, input: JsonObject): void {
  const issues = checkInput(graph, input).map(({ path, message }) => ({ path: `/input${path}`, message }));
  if (issues.length > 0) throw new ApiError('INVALID_INPUT', 'The input does not fit the graph', { issues });
}
