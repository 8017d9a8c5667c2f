import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionSchema } from '../../../../src/graph/schema/definition-schema.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
});

describe('GET /schemas/graph-definition.json', () => {
  test('the JSON schema of graph definitions is public', async () => {
    const { status, headers, body } = await api.stranger.get('/schemas/graph-definition.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/schema+json']);
    expect(body).toEqual(definitionSchema());
  });

  test('the JSON schema of graph definitions may be cached', async () => {
    const { headers } = await api.stranger.get('/schemas/graph-definition.json');
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    const again = await api.stranger.get('/schemas/graph-definition.json', {
      'if-none-match': headers.get('etag') ?? '',
    });
    expect([again.status, again.body]).toEqual([304, null]);
  });
});
