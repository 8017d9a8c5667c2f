import { expect, test } from 'vitest';
import { doJob } from '../../../../src/api/graph-jobs/job-thread.ts';
import type { Approval } from '../../../../src/graph/run/index.ts';
import type { Json } from '../../../../src/graph/values/index.ts';
import { aCatalog } from '../../../support/builders/builders.ts';

const at = '2026-01-01T00:00:00.000Z';

const approval: Approval = {
  id: 'ask:1',
  runId: 'run-1',
  node: 'ask',
  title: 'Pay?',
  details: null,
  args: null,
  digest: '',
  argsSchema: null,
  decisionSchema: { properties: { amount: { type: 'number' } } },
  policy: {},
  status: 'pending',
  decisions: [],
  previous: [],
  requestedBy: 'ada',
  requesters: ['ada'],
  requestedAt: at,
  expiresAt: '2026-02-01T00:00:00.000Z',
  task: [],
  asked: '',
};

const judge = async (values: Json) => {
  const by = { sub: 'bob', roles: ['approver'] };
  return await doJob(aCatalog(), 'refuseDecision', approval, { decision: 'approve', by, at, values });
};

test('a worker thread validates a decision against the schemas of its approval', async () => {
  await expect(judge({ amount: 'ten' })).resolves.toMatchObject({
    code: 'INVALID_VALUES',
    issues: [{ path: '/values/amount' }],
  });
  await expect(judge({ amount: 10 })).resolves.toBeNull();
});
