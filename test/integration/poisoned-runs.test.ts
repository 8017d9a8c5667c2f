import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { eventsOf, hasStatus } from '../support/readers/api-runs.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { aProblem } from '../support/readers/problems.ts';
import { createRunControls } from '../support/readers/run-controls.ts';
import { bundlePoison } from '../support/servers/poison-bundle.ts';
import { startSecondWorker } from '../support/servers/second-worker.ts';
import type { SecondWorker } from '../support/servers/second-worker.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

const MINUTE_MS = 60_000;
const teardown = openTeardown();
let poison: NodeJS.ProcessEnv;
let stack: TestStack;
beforeAll(async () => (poison = { HOLDFAST_WORKFLOW_BUNDLE: await bundlePoison(teardown) }));
afterAll(async () => await teardown.run());

const user = () => stack.as('user');
const { control, until } = createRunControls(user);

/** Waits for a moment, and ends; a bundle with poison in it may do otherwise. @param name what the poison does, and when */
const aGraph = (name: string): GraphDefinition =>
  aDefinition({ name, nodes: { nap: { type: 'wait', for: '100ms' }, note: { type: 'set', write: { log: 'a' } } } });

async function start(name: string, more: object = {}): Promise<string> {
  const { body } = await user().post('/api/runs', { graph: aGraph(name), input: {}, ...more });
  return textAt(body, '/id');
}

const ended = async (id: string): Promise<Json> =>
  await user().untilRun(id, hasStatus('completed', 'failed', 'canceled'), MINUTE_MS);

describe('a run that poisons its workflow task', () => {
  let second: SecondWorker;
  beforeAll(async () => {
    stack = await startTestStack({}, poison, { poisonedRunsMs: 50, failingForMs: 1_000 });
    teardown.add(() => stack.stop());
    second = await startSecondWorker(stack, poison);
    teardown.add(() => second.stop());
  }, 180_000);

  test.each([
    ['late-throws', /failed \d+ times: Poison/],
    ['late-loops', /failed \d+ times: .*it took more than 10 s/],
    // Either of its two failures may be the last that was noted.
    ['differs', /failed \d+ times: (its code does not do what its history says|Poison)/],
    ['now-throws', /failed \d+ times: Poison/],
  ])(
    '%s: has failed within a minute; all other runs end, and both workers are alive',
    async (name, message) => {
      const poisoned = await start(name, { threadId: name, onBusy: 'enqueue' });
      const others = await Promise.all(Array.from({ length: 10 }, () => start('sound')));
      expect(await ended(poisoned)).toMatchObject({
        status: 'failed',
        error: { code: 'INTERNAL', message: expect.stringMatching(message) },
        endedAt: expect.any(String),
      });
      for (const id of others) expect(await ended(id)).toMatchObject({ status: 'completed' });
      expect(await ended(await start('sound', { threadId: name }))).toMatchObject({ status: 'completed' });
      expect(second.state()).toBe('RUNNING');
      const events = await eventsOf(user(), poisoned);
      expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, n) => n + 1));
      expect(events.at(-1)).toMatchObject({ type: 'run.failed', error: { code: 'INTERNAL' } });
    },
    2 * MINUTE_MS,
  );
});

describe('a run that poisons its workflow task, and that nobody looks after', () => {
  const cancelTwice = { 'idempotency-key': 'cancel-it' };
  beforeAll(async () => {
    stack = await startTestStack({}, poison, { failingForMs: 3_600_000 });
    teardown.add(() => stack.stop());
  }, 180_000);

  test(
    'takes no control, but can be canceled',
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
