import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { isJsonObject, toJsonObject } from '../../../../src/graph/values/json.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let document: JsonObject;
let operations: readonly JsonObject[];
const membersOf = (value: Json | undefined): readonly Json[] =>
  value !== undefined && isJsonObject(value) ? Object.values(value) : [];
beforeAll(async () => {
  api = await startTestApi();
  const { body } = await api.stranger.get('/openapi.json');
  document = isJsonObject(body) ? body : {};
  operations = membersOf(document['paths']).flatMap(membersOf).filter(isJsonObject);
});
afterAll(async () => {
  await api.stop();
});

const namesOfHeaders = (operation: JsonObject): readonly string[] =>
  operation['parameters'] === undefined
    ? []
    : listAt(operation, '/parameters')
        .filter((parameter) => at(parameter, '/in') === 'header')
        .map((parameter) => textAt(parameter, '/name'))
        .toSorted();

test('the description has the version of the package, and a name for each operation', () => {
  expect(at(document, '/info/version')).toBe(manifest.version);
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(35);
  for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Za-z]*$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test('each operation has the headers that it takes', () => {
  const headers = new Map(operations.map((operation) => [operation['operationId'], namesOfHeaders(operation)]));
  expect(headers.get('startRun')).toEqual(['idempotency-key', 'prefer']);
  expect(headers.get('getRun')).toEqual(['prefer']);
  expect(headers.get('editState')).toEqual(['idempotency-key', 'if-match']);
  expect(headers.get('decideApproval')).toEqual(['idempotency-key', 'if-match']);
  const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
  const keyless = withBody.filter((operation) => !namesOfHeaders(operation).includes('idempotency-key'));
  expect(keyless).toMatchObject([{ operationId: 'validateGraph' }]);
});

test('each body has an example, which its schema takes', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  const bodies = operations.flatMap(
    ({ requestBody }) => at(requestBody ?? null, '/content/application~1json/schema') ?? [],
  );
  expect(bodies.length).toBeGreaterThan(15);
  for (const schema of bodies) {
    const ref = at(schema, '/$ref');
    const example = typeof ref === 'string' ? at(document, `${ref.slice(1)}/example`) : at(schema, '/example');
    expect(example).toBeDefined();
    const absolute = toJsonObject(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
    expect([ajv.validate(absolute, example), ajv.errorsText()]).toEqual([true, 'No errors']);
  }
});

test('the root leads to the description', async () => {
  const { status, headers } = await api.request('/');
  expect([status, headers.get('location')]).toEqual([302, '/docs']);
  expect((await api.request('/favicon.ico')).status).toBe(204);
});
