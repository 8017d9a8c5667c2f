import { isJsonObject } from '../../../src/graph/values/json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { at } from './json-at.ts';

/** An operation of the API's description. */
export interface DescribedOperation {
  /** The HTTP method in lower case. */
  readonly method: string;
  readonly path: string;
  readonly described: Json;
}

/** Lists the operations of an OpenAPI document. */
export function describedOperations(document: Json): readonly DescribedOperation[] {
  return membersOf(at(document, '/paths')).flatMap(([path, methods]) =>
    membersOf(methods).map(([method, described]) => ({ method, path, described })),
  );
}

function membersOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
