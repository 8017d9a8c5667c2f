import { expect, test } from 'vitest';
import { AUDITED_ROUTES } from '../../../../src/api/administration/audited.ts';
import { toPointer } from '../../../../src/graph/values/json-pointer.ts';
import { readDescription } from '../../../support/readers/api-description.ts';
import { at } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';

test('it is decided for every route that changes something what the audit says of it', async () => {
  const api = await startTestApi();
  const { routes } = await readDescription(api.stranger);
  await api.stop();
  const changing = routes.filter((route) => !route.startsWith('GET '));
  expect(Object.keys(AUDITED_ROUTES).toSorted()).toEqual(changing.toSorted());
});

test('what takes no idempotency key and is told of is a deletion, which is recorded before it is done', async () => {
  const api = await startTestApi();
  const { body } = await api.stranger.get('/openapi.json');
  await api.stop();
  const told = Object.entries(AUDITED_ROUTES).filter(([, auditing]) => auditing !== 'own');
  const takesKey = (route: string): boolean => {
    const [method = '', path = ''] = route.split(' ');
    const operation = at(body, toPointer(['paths', path, method.toLowerCase()]));
    return JSON.stringify(operation).includes('"idempotency-key"');
  };
  const withoutKey = told.filter(([route]) => !takesKey(route));
  expect(withoutKey).toEqual(told.filter(([route]) => route.startsWith('DELETE ')));
  expect(withoutKey.filter(([, auditing]) => typeof auditing === 'string')).toEqual([]);
});
