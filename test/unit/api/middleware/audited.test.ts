import { expect, test } from 'vitest';
import { describedOperations } from '../../../support/readers/described-operations.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';

/** Routes that leave no entry in the audit log. */
const WITHOUT_ENTRY = [
  'POST /api/graphs/validate',
  'POST /api/graphs/{name}/test',
  'POST /api/hooks/{id}',
  'POST /console/local-sign-in',
];

test('an audited API operation accepts an idempotency key, or is a deletion, which is recorded before it is done', async () => {
  const api = await startTestApi();
  const { body } = await api.stranger.get('/openapi.json');
  await api.stop();
  const withoutKey = describedOperations(body)
    .filter(({ method, described }) => method !== 'get' && !JSON.stringify(described).includes('"idempotency-key"'))
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const others = withoutKey.filter((route) => !route.startsWith('DELETE '));
  expect(others.toSorted()).toEqual(WITHOUT_ENTRY);
});
