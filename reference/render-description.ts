import { canonicalJson } from '../src/graph/values/index.ts';
import type { Json } from '../src/graph/values/index.ts';

/** Returns the content of `docs/openapi.json`: the API's description, with members in order, so that changes show. */
export function renderDescription(description: Json): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(description)), null, 1)}\n`;
}
