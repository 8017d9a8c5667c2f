import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTeardown } from '../../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../builders/builders.ts';
import { eventsOf, hasStatus } from '../readers/api-runs.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { at, textAt } from '../readers/json-at.ts';
import { bundlePoison } from '../servers/poison-bundle.ts';
import { startSecondWorker } from '../servers/second-worker.ts';
import type { SecondWorker } from '../servers/second-worker.ts';
import { startTestStack } from '../servers/test-stack.ts';
import type { TestStack } from '../servers/test-stack.ts';

const MINUTE_MS = 60_000;

/** A graph that waits briefly and ends; a poisoned bundle changes that. @param name selects the failure and its time */
const aPoisonedGraph = (name: string): GraphDefinition =>
  aDefinition({ name, nodes: { nap: { type: 'wait', for: '100ms' }, note: { type: 'set', write: { log: 'a' } } } });

/** Starts a run of a poisoned graph. @returns its id */
export async function startPoisoned(user: ApiClient, name: string, more: object = {}): Promise<string> {
  const { body } = await user.post('/api/runs', { graph: aPoisonedGraph(name), input: {}, ...more });
  return textAt(body, '/id');
}

/** Two workers and runs that fail their workflow task. @param poisons names with the message of the run's error */
export function poisonedRunsSuite(poisons: readonly (readonly [name: string, message: RegExp])[]): void {
  describe('a run that fails its workflow task', () => {
    const teardown = openTeardown();
    let stack: TestStack;
    let second: SecondWorker;
    const user = () => stack.as('user');
    const start = async (name: string, more: object = {}) => await startPoisoned(user(), name, more);
    const ended = async (id: string): Promise<Json> =>
      await user().untilRun(id, hasStatus('completed', 'failed', 'canceled'), MINUTE_MS);
    beforeAll(async () => {
      const poison = { HOLDFAST_WORKFLOW_BUNDLE: await bundlePoison(teardown) };
      stack = await startTestStack({}, poison, { poisonedRunsMs: 50, failingForMs: 1_000 });
      teardown.add(() => stack.stop());
      second = await startSecondWorker(stack, poison);
      teardown.add(() => second.stop());
    }, 180_000);
    afterAll(async () => await teardown.run());

    test.each(poisons)(
      '(%s) fails within a minute, while all other runs complete and both workers stay alive',
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
}
