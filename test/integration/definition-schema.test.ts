import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionSchema } from '../../src/graph/schema/definition-schema.ts';
import { startTestStack } from '../support/test-stack.ts';
import type { TestStack } from '../support/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({});
});
afterAll(async () => {
  await stack.stop();
});

describe('GET /schemas/graph-definition.json', () => {
  test('gives the schema to everybody', async () => {
    const { status, headers, body } = await stack.stranger.get('/schemas/graph-definition.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/schema+json']);
    expect(body).toEqual(definitionSchema());
  });

  test('may be kept', async () => {
    const { headers } = await stack.stranger.get('/schemas/graph-definition.json');
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    const again = await stack.stranger.get('/schemas/graph-definition.json', {
      'if-none-match': headers.get('etag') ?? '',
    });
    expect([again.status, again.body]).toEqual([304, null]);
  });
});
