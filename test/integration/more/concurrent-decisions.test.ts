import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anAskingGraph, eventsOf, hasStatus, startRun } from '../../support/readers/api-runs.ts';
import { createDecisions } from '../../support/readers/decisions.ts';
import type { Decisions } from '../../support/readers/decisions.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { aProblem } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
const { answerOf, approvalOf, approve, asking, decide } = createDecisions(() => stack);
beforeAll(async () => {
  stack = await startTestStack({});
});
afterAll(async () => {
  await stack.stop();
});

describe('a late decision', () => {
  test.each(['approve', 'reject'])(
    'a late decision to %s is refused with the name of the first decider and the time of the first decision',
    async (decision) => {
      const run = await asking();
      const { body } = await approve('approver', run);
      const answer = await decide('approver2', run, { decision });
      expect(answer).toMatchObject(aProblem(409, 'ALREADY_DECIDED'));
      expect(textAt(answer.body, '/detail')).toContain(`ada at ${textAt(body, '/decisions/0/at')}`);
    },
  );

  test('a late decision by POST /api/runs/{id}/approve without an id is refused with the name of the first decider', async () => {
    const run = await asking();
    const { body } = await approve('approver', run);
    await answerOf(run);
    const answer = await stack.as('approver2').post(`/api/runs/${run.runId}/approve`, {});
    expect(answer).toMatchObject(aProblem(409, 'ALREADY_DECIDED'));
    expect(textAt(answer.body, '/detail')).toContain(`ada at ${textAt(body, '/decisions/0/at')}`);
  });

  test('a decision on an expired approval is refused', async () => {
    const runId = textAt(await startRun(stack.as('user'), anAskingGraph({ timeout: '1ms' })), '/id');
    const [asked = null] = await eventsOf(stack.as('user'), runId, 'approval.requested');
    const run = { runId, approvalId: textAt(asked, '/approval/id') };
    expect(await answerOf(run)).toMatchObject({ decision: 'expired', by: null });
    expect(await approve('approver', run)).toMatchObject(aProblem(410, 'APPROVAL_EXPIRED'));
    expect(await approvalOf(run)).toMatchObject({ status: 'expired', decisions: [] });
  });

  test('a decision on an approval of a canceled run is refused', async () => {
    const run = await asking();
    await stack.as('user').post(`/api/runs/${run.runId}/cancel`, {});
    await stack.as('user').untilRun(run.runId, hasStatus('canceled'));
    expect(await approve('approver', run)).toMatchObject(aProblem(409, 'APPROVAL_CANCELED'));
  });
});

describe('two people who decide at the same moment', () => {
  const doors: readonly [string, Decisions['approve']][] = [
    ['/api/approvals/{id}/decision', approve],
    [
      '/api/runs/{id}/approve',
      async (caller, { runId }) => await stack.as(caller).post(`/api/runs/${runId}/approve`, {}),
    ],
  ];

  test.each(doors)(
    'two people who decide one approval by POST %s at the same moment get one accepted and one refused response',
    async (_door, enter) => {
      const runs = await Promise.all(Array.from({ length: 10 }, () => asking()));
      const races = runs.map(async (run) => {
        const answers = await Promise.all([enter('approver', run), enter('approver2', run)]);
        const [won, lost] = answers.toSorted((one, two) => one.status - two.status);
        expect([won, lost]).toMatchObject([
          { status: 200, body: { status: 'approved', decisions: [{}] } },
          { status: 409, body: { code: expect.stringMatching(/^(ALREADY_DECIDED|NOT_ALLOWED_NOW)$/) } },
        ]);
        expect(await answerOf(run)).toMatchObject({ by: textAt(won?.body ?? null, '/decisions/0/by') });
      });
      await Promise.all(races);
    },
  );
});

describe('the same decision again', () => {
  const decision = 'approve';

  test('a repeated decision under its Idempotency-Key returns the first response again', async () => {
    const run = await asking();
    const first = await decide('approver', run, { decision, key: 'once' });
    const second = await decide('approver', run, { decision, key: 'once' });
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  });

  test('a decision repeated concurrently under one Idempotency-Key counts once', async () => {
    const run = await asking({ policy: { quorum: 2 } });
    await Promise.all(['same', 'same', 'same'].map((key) => decide('approver', run, { decision, key })));
    expect(await approve('approver2', run)).toMatchObject({ body: { decisions: [{ by: 'ada' }, { by: 'bob' }] } });
  });

  test('a decision by another person under the same Idempotency-Key is a separate decision', async () => {
    const run = await asking({ policy: { quorum: 2 } });
    await decide('approver', run, { decision, key: 'shared' });
    const answer = await decide('approver2', run, { decision, key: 'shared' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } });
  });

  test('a repeated decision is judged again after a refusal by the approval policy', async () => {
    const run = await asking({ policy: { roles: ['treasurer'] } });
    const answers = [
      await decide('approver', run, { decision, key: 'no' }),
      await decide('approver', run, { decision, key: 'no' }),
    ];
    const given = answers.map(({ status, headers }) => [status, headers.get('idempotent-replayed')]);
    expect(given).toEqual([
      [403, null],
      [403, null],
    ]);
  });
});
