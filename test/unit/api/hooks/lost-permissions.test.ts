import { afterAll, beforeAll, expect, test } from 'vitest';
import { SIGN } from '../../../support/builders/signed-messages.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';
import type { HookAction } from '../../../../src/store/hook.ts';

/* Hooks whose authors' roles have other permissions than when the hooks were stored. */

const SECRET = 'a secret of both';
const START: HookAction = { start: { graph: 'none', input: {} } };
const SEND: HookAction = { event: { run: 'none', name: 'paid' } };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ roles: { starter: ['run:start'], user: ['run:read'] } });
});
afterAll(async () => await api.stop());

test.each([
  ['user', START, 'FORBIDDEN'],
  ['user', SEND, 'FORBIDDEN'],
  ['starter', START, 'UNKNOWN_GRAPH'],
  ['starter', SEND, 'FORBIDDEN'],
  ['admin', SEND, 'UNKNOWN_RUN'],
  ['gone', START, 'FORBIDDEN'],
])('a webhook message for a hook of a %s that does %j is answered with %s', async (role, action, code) => {
  const at = { tenantId: 'demo', name: `${role}-${'start' in action ? 'start' : 'event'}` };
  const by = { sub: 'uma', roles: [role] };
  await api.store.hooks.put({ ...at, scheme: 'github', secret: { value: SECRET }, action, redacted: [], by }, 100);
  const { headers, body } = SIGN.github('{}', { secret: SECRET, id: at.name });
  const answer = await api.request(`/api/hooks/demo.${at.name}`, { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({ code });
});
