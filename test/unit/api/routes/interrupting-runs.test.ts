import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../../../support/builders/builders.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/* Callers who may start runs but not control them. */

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ roles: { user: ['graph:publish', 'run:start', 'run:read'] } });
  const text = { schema: { type: 'string' } };
  const nodes = { n: { type: 'set', write: { answer: 'x' } } } as const;
  const channels = { question: text, answer: text };
  const definition = aDefinition({ name: 'echo', channels, nodes, edges: [{ from: '__start__', to: 'n' }] });
  await api.as('user').post('/api/graphs', definition);
});
afterAll(async () => await api.stop());

const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };

test.each([
  ['/api/runs', { graph: 'echo', threadId: 'T' }],
  ['/api/chat/echo', { id: 'T', messages: [message] }],
])('a run that %s starts may interrupt others only with the permission to control runs', async (path, body) => {
  const answer = await api.as('user').post(path, { ...body, onBusy: 'interrupt' });
  expect(answer).toMatchObject(aProblem(403, 'FORBIDDEN'));
  expect(JSON.stringify(answer.body)).toContain('run:control');
});
