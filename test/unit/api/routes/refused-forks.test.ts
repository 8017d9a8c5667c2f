import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  LATER,
  aBatch,
  aCheckpoint,
  aClosedRun,
  aNewRun,
  aView,
  writeTo,
} from '../../../support/builders/store-builders.ts';
import { at, listAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/* An installation with `forking: false` refuses forks, and offers none. */

const apis = new Map<boolean, TestApi>();
const apiWith = (forking: boolean): TestApi => {
  const api = apis.get(forking);
  if (!api) throw new Error('The API has not started');
  return api;
};
beforeAll(async () => {
  for (const forking of [true, false]) {
    const api = await startTestApi({ forking });
    apis.set(forking, api);
    await addUndone(api);
  }
});
afterAll(async () => await Promise.all([...apis.values()].map(async (api) => await api.stop())));

/** A failed run that takes no retry, because a call of it was undone. */
async function addUndone({ store }: TestApi): Promise<void> {
  const undone = { since: 2, nodes: ['pay'] };
  const { compensation } = aClosedRun('U');
  const error = { code: 'TOOL_FAILED', message: 'shop is down', node: 'pay' } as const;
  const view = aView({ status: 'failed', endedAt: LATER, error, checkpointId: 'U.c2', undone });
  const endedState = aClosedRun('U', { compensation: { ...compensation, undone } });
  const checkpoints = [aCheckpoint('U', 1), aCheckpoint('U', 2)];
  await store.runs.create(aNewRun({ id: 'U', tenantId: 'demo' }));
  await writeTo(store, { id: 'U', tenantId: 'demo' }, aBatch([1, 2], { checkpoints, view, endedState }));
}

test('a fork is refused, whatever its checkpoint is', async () => {
  for (const checkpoint of ['U.c1', 'nowhere'])
    expect(await apiWith(false).as('admin').post('/api/runs/U/fork', { checkpoint })).toMatchObject(
      aProblem(403, 'FORBIDDEN'),
    );
  const { body } = await apiWith(false).as('admin').post('/api/runs/U/fork', { checkpoint: 'U.c1' });
  expect(at(body, '/detail')).toContain('`forking`');
  const allowed = await apiWith(true).as('admin').post('/api/runs/U/fork', { checkpoint: 'nowhere' });
  expect(allowed).toMatchObject(aProblem(404, 'UNKNOWN_CHECKPOINT'));
});

test.each([
  { forking: true, actions: ['fork'] },
  { forking: false, actions: [] },
])('an explanation and the console offer a fork only where it is allowed: $forking', async ({ forking, actions }) => {
  const api = apiWith(forking);
  const { body } = await api.as('admin').get('/api/runs/U/explain');
  expect(listAt(body, '/actions').map((action) => at(action, '/action'))).toEqual(actions);
  const config = await api.request('/console/config.json');
  expect(await config.json()).toMatchObject({ features: { forking } });
});
