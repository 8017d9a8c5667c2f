import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { eventsOf } from '../../support/readers/api-runs.ts';
import { aProblem } from '../../support/readers/problems.ts';
import { createRunControls } from '../../support/readers/run-controls.ts';
import { bundlePoison } from '../../support/servers/poison-bundle.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';
import { startPoisoned } from '../../support/suites/poisoned-runs-suite.ts';

const MINUTE_MS = 60_000;
const teardown = openTeardown();
let stack: TestStack;
afterAll(async () => await teardown.run());

const user = () => stack.as('user');
const { control, until } = createRunControls(user);
const start = async (name: string, more: object = {}) => await startPoisoned(user(), name, more);

describe('a run whose workflow task fails and that is not quarantined', () => {
  const cancelTwice = { 'idempotency-key': 'cancel-it' };
  beforeAll(async () => {
    const poison = { HOLDFAST_WORKFLOW_BUNDLE: await bundlePoison(teardown) };
    stack = await startTestStack({}, poison, { failingForMs: 3_600_000 });
    teardown.add(() => stack.stop());
  }, 180_000);

  test(
    'a run whose workflow task fails and that is not quarantined can be canceled, but accepts no other control',
    async () => {
      const id = await start('now-throws', { threadId: 'mine' });
      expect(await control(id, 'pause')).toMatchObject(aProblem(503, 'UNAVAILABLE'));
      const canceled = await user().post(`/api/runs/${id}/cancel`, { reason: 'It hangs' }, cancelTwice);
      expect(canceled).toMatchObject({
        status: 202,
        body: {
          status: 'canceled',
          error: { code: 'INTERNAL', message: expect.stringMatching(/failed \d+ times?: Poison/) },
        },
      });
      expect((await eventsOf(user(), id)).at(-1)).toMatchObject({ type: 'run.canceled', reason: 'It hangs' });
      expect(await control(id, 'cancel')).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
      await until(await start('sound', { threadId: 'mine' }), 'completed');
    },
    MINUTE_MS,
  );
});
