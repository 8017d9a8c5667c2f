import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* A configuration whose store wraps that of PostgreSQL. */

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('other-store.config.ts', import.meta.url)));
});
afterAll(async () => {
  await stack.stop();
});

test('the API and the workers use the store that the configuration names', async () => {
  const user = stack.as('user');
  const { body } = await user.post('/api/runs', { graph: aDefinition(), input: {} });
  const id = textAt(body, '/id');
  expect(await user.untilRun(id, hasStatus('completed'))).toMatchObject({ metadata: { kept: 'elsewhere' } });
  expect(await eventsOf(user, id, 'run.started')).toMatchObject([{ by: 'uma, told elsewhere' }]);
});

test('a custom store can implement one part itself and keep the rest in PostgreSQL', async () => {
  const { memory } = createClient({ baseUrl: stack.baseUrl, token: stack.tokens.user });
  await memory.put('notes', { key: 'color', value: 'red' });
  expect(await memory.get('notes', 'color')).toMatchObject({ value: 'red', by: 'uma' });
  const { body } = await stack.as('user').get('/api/memory/notes');
  expect(body).toMatchObject({ items: [{ key: 'color', value: 'elsewhere' }] });
});
