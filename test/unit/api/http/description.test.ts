import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { httpPage } from '../../../../reference/pages/http.ts';
import { renderDescription } from '../../../../reference/render-description.ts';
import { renderPage } from '../../../../reference/render-page.ts';
import { parseConfig } from '../../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import { permissionsOf } from '../../../../src/graph/definition/roles.ts';
import { isJsonObject } from '../../../../src/graph/values/json.ts';
import { toJsonObject } from '../../../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let document: JsonObject;
let operations: readonly JsonObject[];
/** Two new roles, one of which has a single permission, and a built-in role with fewer permissions. */
const OWN_ROLES: ConfigInput['roles'] = {
  auditor: ['run:read', 'payload:read'],
  publisher: ['graph:publish'],
  approver: ['approval:decide'],
};
const membersOf = (value: Json | undefined): readonly Json[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];
const entriesOf = (value: Json | undefined): readonly [string, Json][] =>
  value !== undefined && isJsonObject(value) ? Object.entries(value) : [];
beforeAll(async () => {
  api = await startTestApi({ roles: OWN_ROLES });
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

test('the OpenAPI description has the version of the package, and a name for each operation', () => {
  expect(at(document, '/info/version')).toBe(manifest.version);
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(35);
  for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Za-z]*$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test('each operation of the OpenAPI description lists the headers that it accepts', () => {
  const headers = new Map(operations.map((operation) => [operation['operationId'], namesOfHeaders(operation)]));
  expect(headers.get('startRun')).toEqual(['idempotency-key', 'prefer']);
  expect(headers.get('getRun')).toEqual(['prefer']);
  expect(headers.get('editState')).toEqual(['idempotency-key', 'if-match']);
  expect(headers.get('decideApproval')).toEqual(['idempotency-key', 'if-match']);
  const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
  const keyless = withBody.filter((operation) => !namesOfHeaders(operation).includes('idempotency-key'));
  expect(new Set(keyless.map(({ operationId }) => operationId))).toEqual(
    new Set(['receiveMessage', 'signInLocally', 'testGraph', 'validateGraph']),
  );
});

test('each operation of the OpenAPI description states its effect, its permissions and its problems', () => {
  const tags = listAt(document, '/tags').map((tag) => textAt(tag, '/name'));
  for (const operation of operations) {
    expect(operation).toMatchObject({ summary: expect.stringMatching(/^[A-Z].*[^.]$/) });
    expect(tags).toContain(textAt(operation, '/tags/0'));
    expect(operation['security']).toBeInstanceOf(Array);
    if (operation['operationId'] === 'getDefinitionSchema') continue;
    expect(operation['responses']).toMatchObject({ 500: {}, 503: {} });
  }
});

test('each parameter and each response header of the OpenAPI description is described', () => {
  const parameters = operations.flatMap((operation) => membersOf(operation['parameters'] ?? null));
  const answers = operations
    .flatMap(({ responses }) => membersOf(responses))
    .flatMap((answer) => membersOf(at(answer, '/headers')));
  expect(parameters.length).toBeGreaterThan(60);
  for (const described of [...parameters, ...answers])
    expect(described).toMatchObject({ description: expect.stringMatching(/./) });
  expect(answers.length).toBeGreaterThan(40);
});

test('each body and each response of the OpenAPI description has an example that its schema accepts', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  const contents = operations.flatMap(({ requestBody = null, responses }) => [requestBody, ...membersOf(responses)]);
  const schemas = contents.flatMap((content) => [
    ...[at(content, '/content/application~1json/schema') ?? []].flat(),
    ...[at(content, '/content/application~1problem+json/schema') ?? []].flat(),
  ]);
  expect(schemas.length).toBeGreaterThan(200);
  for (const schema of new Set(schemas.map((one) => JSON.stringify(one)))) {
    const ref = at(JSON.parse(schema), '/$ref');
    const example =
      typeof ref === 'string' ? at(document, `${ref.slice(1)}/example`) : at(JSON.parse(schema), '/example');
    expect([schema, example]).not.toContain(undefined);
    const absolute = toJsonObject(JSON.parse(schema.replaceAll('"#/', '"api#/')));
    expect([schema, ajv.validate(absolute, example), ajv.errorsText()]).toEqual([schema, true, 'No errors']);
  }
});

test.each(['user', 'approver', 'admin', 'auditor', 'publisher', 'nobody'])(
  'the permissions of %s in the API are those in the OpenAPI description',
  async (role) => {
    const granted = permissionsOf([role], parseConfig('the test', { roles: OWN_ROLES }).roles);
    const caller = await api.asRole(role);
    for (const [path, methods] of entriesOf(document['paths']))
      for (const [method, operation] of entriesOf(methods)) {
        const needed = listAt(operation, '/security').flatMap((one) =>
          at(one, '/bearer') ? listAt(one, '/bearer') : [],
        );
        const isGranted = needed.length === 0 || [...granted].some((permission) => needed.includes(permission));
        const isStream = at(operation, '/responses/200/content/text~1event-stream') !== undefined;
        // A stream would not end, and its headers are sufficient.
        const wanted = isStream && method === 'get' ? 'HEAD' : method.toUpperCase();
        const answer = await caller.send(path.replaceAll(/[{}]/g, ''), { method: wanted });
        expect([path, answer.status === 403]).toEqual([path, !isGranted]);
      }
  },
);

test('docs/reference/http.md is generated from the OpenAPI description', async () => {
  const page = readFileSync(new URL('../../../../docs/reference/http.md', import.meta.url), 'utf8');
  expect(page).toBe(await renderPage(httpPage, document));
});

test('docs/openapi.json equals the served description, so that each change of the API is visible', () => {
  const page = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');
  expect(page).toBe(renderDescription(document));
});

test('the root path of the API redirects to its description', async () => {
  const { status, headers } = await api.request('/');
  expect([status, headers.get('location')]).toEqual([302, '/docs']);
  expect((await api.request('/favicon.ico')).status).toBe(204);
});
