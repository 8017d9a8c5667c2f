import { Client, Connection } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/index.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { repetitions } from '../support/builders/repetitions.ts';
import { eventsOf, hasStatus, startRun } from '../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { aProblem } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

/* Two concurrent requests without an approval id must never act on two approvals. */

let stack: TestStack;
let connection: Connection;
beforeAll(async () => {
  stack = await startTestStack({});
  connection = await Connection.connect({ address: stack.temporalAddress });
});
afterAll(async () => {
  await connection.close();
  await stack.stop();
});

const TIMES = Array.from({ length: repetitions(10) }, (_, time) => time);
const asks = (title: string) => ({ type: 'approval', title, write: { log: title } }) as const;
const adds = (text: string) => ({ type: 'set', write: { log: text } }) as const;
const inTurn = aDefinition({ nodes: { read: asks('Read the mail?'), drop: asks('Delete the database?') } });

async function start(graph: GraphDefinition): Promise<{ readonly id: string; readonly run: Json }> {
  const run = await startRun(stack.as('user'), graph);
  return { id: textAt(run, '/id'), run };
}

async function handleOf(run: Json): Promise<WorkflowHandle> {
  const { namespace } = stack;
  return new Client({ connection, namespace }).workflow.getHandle(textAt(run, '/workflowId'));
}

const valuesOf = async (id: string): Promise<Json> =>
  at((await stack.as('user').get(`/api/runs/${id}/state`)).body, '/values') ?? null;
const waitsAt = (node: string) => (run: Json) =>
  textAt(run, '/status') === 'waiting' && listAt(run, '/waitingFor').every((one) => at(one, '/node') === node);

describe('two decisions without an approval id over HTTP', () => {
  test.each(TIMES)(
    'of two concurrent decisions without an approval id one decides the approval, and the response of the second lists the pending ones (round %i)',
    async () => {
      const { id } = await start(inTurn);
      const post = (caller: 'approver' | 'approver2') => stack.as(caller).post(`/api/runs/${id}/approve`, {});
      const answers = await Promise.all([post('approver'), post('approver2')]);
      const [won, lost] = answers.toSorted((one, two) => one.status - two.status);
      expect(won).toMatchObject({ status: 200, body: { id: `${id}.a1`, status: 'approved' } });
      expect(lost).toMatchObject(aProblem(409, 'ALREADY_DECIDED'));
      const { by, at: when } = {
        by: textAt(won?.body ?? null, '/decisions/0/by'),
        at: textAt(won?.body ?? null, '/decisions/0/at'),
      };
      const detail = textAt(lost?.body ?? null, '/detail');
      expect(detail).toContain(`Already approved by ${by} at ${when}.`);
      expect(detail).toContain(`pending now: "Delete the database?" (${id}.a2)`);
      expect(await stack.as('user').untilRun(id, waitsAt('drop'))).toMatchObject({ status: 'waiting' });
      expect(await valuesOf(id)).toMatchObject({ log: ['Read the mail?'] });
    },
  );

  test('two decisions without an approval id are refused with status 422 while several approvals are pending, and the error lists their titles and ids', async () => {
    const edges = [{ from: '__start__', to: ['one', 'two', 'three'] }];
    const nodes = { one: asks('One?'), two: asks('Two?'), three: asks('Three?') };
    const { id } = await start(aDefinition({ nodes, edges }));
    const answer = await stack.as('approver').post(`/api/runs/${id}/reject`, {});
    expect(answer).toMatchObject(aProblem(422, 'APPROVAL_ID_REQUIRED'));
    const detail = textAt(answer.body, '/detail');
    for (const [title, number] of [
      ['One?', 1],
      ['Three?', 2],
      ['Two?', 3],
    ] as const)
      expect(detail).toContain(`"${title}" (${id}.a${number})`);
  });

  test('two decisions without an approval id are refused with status 409 for an approval that was requested again', async () => {
    const nodes = { one: { type: 'approval', title: 'Pay {{ state.euros }}?' } } as const;
    const { id } = await start(aDefinition({ channels: { euros: { default: 1 } }, nodes }));
    const { headers } = await stack.as('user').get(`/api/runs/${id}/state`);
    await stack.as('user').send(`/api/runs/${id}/state`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'if-match': headers.get('etag') ?? '' },
      body: JSON.stringify({ values: { euros: 1_000 } }),
    });
    const answer = await stack.as('approver').post(`/api/runs/${id}/approve`, {});
    expect(answer).toMatchObject(aProblem(409, 'APPROVAL_CANCELED'));
    expect(textAt(answer.body, '/detail')).toContain(`pending now: "Pay 1000?" (${id}.a2)`);
    expect(await stack.as('user').untilRun(id, hasStatus('waiting'))).toMatchObject({
      waitingFor: [{ id: `${id}.a2` }],
    });
  });

  test('two decisions without an approval id do not add up to a quorum when one of them edits the arguments', async () => {
    const ask = { type: 'approval', title: 'Pay?', args: { euros: 1 }, policy: { quorum: 2 } } as const;
    for (const _ of TIMES) {
      const { id } = await start(aDefinition({ nodes: { ask } }));
      const post = (caller: 'approver' | 'approver2', body: object) =>
        stack.as(caller).post(`/api/runs/${id}/approve`, body);
      const [, plain] = await Promise.all([post('approver', { args: { euros: 9 } }), post('approver2', {})]);
      const approval = (await stack.as('user').get(`/api/approvals/${id}.a1`)).body;
      const isFirst = at(approval, '/decisions/0/by') === 'bob';
      expect(plain?.status).toBe(isFirst ? 200 : 412);
      expect(await stack.as('user').untilRun(id, hasStatus('waiting'))).toMatchObject({ status: 'waiting' });
      // The first approval is decided, so the next request refers to the second one.
      const then = await post('approver2', {});
      expect(then).toMatchObject({ status: 200, body: { status: 'approved', args: { euros: 9 } } });
    }
  });
});

test.each(TIMES)(
  'of two signals without an approval id the first decides the only approval, and the second is ignored (round %i)',
  async () => {
    const { id, run } = await start(inTurn);
    const handle = await handleOf(run);
    await Promise.all([handle.signal('approve', { reason: 'a' }), handle.signal('approve', { reason: 'b' })]);
    await expect
      .poll(async () => await eventsOf(stack.as('user'), id, 'signal.ignored'))
      .toMatchObject([
        {
          signal: 'approve',
          reason: 'already_decided',
          detail: expect.stringContaining(`pending now: ${id}.a2 (drop)`),
        },
      ]);
    expect(await stack.as('user').untilRun(id, waitsAt('drop'))).toMatchObject({ status: 'waiting' });
    expect(await valuesOf(id)).toMatchObject({ log: ['Read the mail?'] });
  },
);

describe('two controls without a target', () => {
  const stops: readonly [string, Partial<GraphDefinition>][] = [
    ['with a checkpoint in between', { interruptBefore: ['b', 'c'] }],
    ['at the same checkpoint', { interruptAfter: ['a'], interruptBefore: ['b'] }],
  ];

  test.each(stops)(
    'of two concurrent resumes without a checkpoint at two breakpoints %s one is accepted and the other gets 409',
    async (_, over) => {
      for (const _time of TIMES.slice(0, repetitions(5))) {
        const { id } = await start(aDefinition({ nodes: { a: adds('a'), b: adds('b'), c: adds('c') }, ...over }));
        const resume = () => stack.as('user').post(`/api/runs/${id}/resume`, {});
        const answers = await Promise.all([resume(), resume()]);
        expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([202, 409]);
        expect(await stack.as('user').untilRun(id, hasStatus('paused'))).toMatchObject({ status: 'paused' });
        // A caller who has read the second breakpoint passes it.
        expect(await resume()).toMatchObject({ status: 202 });
        expect(await stack.as('user').untilRun(id, hasStatus('completed'))).toMatchObject({ status: 'completed' });
      }
    },
  );

  test('two resumes without a checkpoint do not affect a later resume of a pause whose control was already answered', async () => {
    const { id } = await start(aDefinition({ nodes: { w: { type: 'wait', event: 'go' } } }));
    for (const _ of TIMES.slice(0, repetitions(5))) {
      expect(await stack.as('user').post(`/api/runs/${id}/pause`, {})).toMatchObject({ body: { status: 'paused' } });
      expect(await stack.as('user').post(`/api/runs/${id}/resume`, {})).toMatchObject({ status: 202 });
    }
  });

  test('of two concurrent retries of a node that fails again one is accepted and the other gets 409', async () => {
    const fails = { type: 'set', write: { log: '{{ state.log[9] }}' } } as const;
    const { id } = await start(aDefinition({ nodes: { a: fails } }));
    const retry = () => stack.as('user').post(`/api/runs/${id}/retry`, {});
    const answers = await Promise.all([retry(), retry()]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([202, 409]);
    await expect.poll(async () => (await eventsOf(stack.as('user'), id, 'run.failed')).length).toBe(2);
    expect(await eventsOf(stack.as('user'), id, 'run.retried')).toHaveLength(1);
  });
});
