import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aGraphOf, eventsOf, hasStatus, startRun } from '../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { openTemporalCli } from '../support/servers/temporal-cli.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

/* A hook of the thread maps stack traces, so this test has its own file. */

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('failure-traces.config.ts', import.meta.url)));
});
afterAll(async () => await stack.stop());

async function startFailing(tool: string): Promise<string> {
  const id = textAt(await startRun(stack.as('user'), aGraphOf({ type: 'tool', tool }), {}), '/id');
  await stack.as('user').untilRun(id, hasStatus('failed'));
  return id;
}

describe('code that throws a TypeError', () => {
  const frame = /^at amountOf \(.*test\/system\/failure-traces\.config\.ts:11:\d+\)$/;

  test('a tool that throws a TypeError is not called again, and callers with payload:read see the line of the error', async () => {
    const id = await startFailing('price');
    const [failed] = await eventsOf(stack.as('admin'), id, 'node.failed');
    expect(failed).toMatchObject({ error: { attempts: 1, cause: { code: 'TypeError' } } });
    expect(textAt(failed ?? null, '/error/cause/stack').split('\n')[0]).toMatch(frame);
    const { body } = await stack.as('admin').get(`/api/runs/${id}`);
    expect(textAt(body, '/error/cause/stack').split('\n')[0]).toMatch(frame);
  });

  test('callers without payload:read see the error of a tool without its line', async () => {
    const id = await startFailing('price');
    const failed = await eventsOf(stack.as('user'), id, 'node.failed');
    const { body } = await stack.as('user').get(`/api/runs/${id}`);
    expect(failed).toMatchObject([{ error: { cause: { code: 'TypeError' } } }]);
    expect(JSON.stringify([failed, body])).not.toContain('failure-traces');
  });

  test('a TypeError of a tool is reported with its line in the failure of the activity', async () => {
    const id = await startFailing('price');
    const temporal = await openTemporalCli(stack);
    const events = listAt(await temporal.tell('show', `run:demo:${id}`), '/events');
    const failed = events.find((event) => at(event, '/activityTaskFailedEventAttributes') !== undefined) ?? null;
    const stackTrace = textAt(failed, '/activityTaskFailedEventAttributes/failure/stackTrace');
    expect(stackTrace.split('\n')[1]?.trim()).toMatch(frame);
  });
});

test('a call fails at once if its secret is missing', async () => {
  const id = await startFailing('vault');
  const message = 'The environment holds no secret NOBODY_SETS_THIS';
  expect(await eventsOf(stack.as('user'), id, 'node.failed')).toMatchObject([{ error: { attempts: 1, message } }]);
});
