import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject } from '../../../../src/graph/values/json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { describedOperations } from '../../../support/readers/described-operations.ts';
import { at } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let document: Json;
beforeAll(async () => {
  api = await startTestApi();
  document = (await api.stranger.get('/openapi.json')).body;
});
afterAll(async () => {
  await api.stop();
});

/** Definitions have their own limits, which are checked in threads. */
const DEFINITION = '#/components/schemas/GraphDefinition';

interface List {
  readonly path: string;
  readonly isBounded: boolean;
}

/** Finds the lists in a part of the description, including those of named schemas. */
function listsIn(part: Json | undefined, path: string): readonly List[] {
  if (typeof part !== 'object' || part === null) return [];
  const inside = Object.entries(part)
    .filter(([name]) => name !== 'example')
    .flatMap(([name, value]) => listsIn(value, `${path}/${name}`));
  if (!isJsonObject(part)) return inside;
  const { type, $ref } = part;
  if (typeof $ref === 'string' && $ref !== DEFINITION) return listsIn(at(document, $ref.slice(1)), path);
  return type === 'array' ? [{ path, isBounded: 'maxItems' in part }, ...inside] : inside;
}

test('every list in an API request has a maximal length', () => {
  const lists = describedOperations(document).flatMap(({ method, path, described }) => [
    ...listsIn(at(described, '/requestBody'), `${method} ${path} body`),
    ...listsIn(at(described, '/parameters'), `${method} ${path} parameters`),
  ]);
  expect(lists.length).toBeGreaterThan(15);
  expect(lists.filter(({ isBounded }) => !isBounded).map(({ path }) => path)).toEqual([]);
});
