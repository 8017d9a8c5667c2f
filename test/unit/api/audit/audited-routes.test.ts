import { expect, test } from 'vitest';
import { AUDITED_ROUTES } from '../../../../src/api/audit/audited-routes.ts';
import { readDescription } from '../../../support/readers/api-description.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';

test('it is decided for every route that changes something what the audit says of it', async () => {
  const api = await startTestApi();
  const { routes } = await readDescription(api.stranger);
  await api.stop();
  const changing = routes.filter((route) => !route.startsWith('GET '));
  expect(Object.keys(AUDITED_ROUTES).toSorted()).toEqual(changing.toSorted());
});
