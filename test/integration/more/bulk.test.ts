import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import type { Client } from '../../../src/client/index.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { hasStatus, startAsking } from '../../support/readers/api-runs.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
let user: Client;
beforeAll(async () => {
  stack = await startTestStack({});
  user = createClient({ baseUrl: stack.baseUrl, token: stack.tokens.user });
});
afterAll(async () => await stack.stop());

const asking = async (count: number) =>
  await Promise.all(Array.from({ length: count }, async () => await startAsking(stack.as('user'))));

describe('many runs', () => {
  test('a bulk action selects runs by a filter, previews them, and controls each once', async () => {
    const ids = (await asking(3)).map(({ runId }) => runId).toSorted();
    const filter = { graph: (await user.runs.get(ids[0] ?? '')).graph.name, status: ['waiting' as const] };
    const cancel = { action: 'cancel' as const, filter };
    const preview = await user.runs.bulk({ ...cancel, dryRun: true });
    expect({ ...preview, done: preview.done.toSorted() }).toEqual({
      done: ids,
      failed: [],
      hasMore: false,
      nextCursor: null,
      runs: preview.done.map((id) => ({ id, graph: filter.graph, status: 'waiting' })),
    });
    const paused = await user.runs.bulk({ action: 'pause', ids });
    expect(paused.done).toEqual(ids);
    await Promise.all(ids.map(async (id) => await stack.as('user').untilRun(id, hasStatus('paused'))));
    const once = { idempotencyKey: 'cancel-them' };
    const [first, again] = [
      await user.runs.bulk({ action: 'cancel', ids: [...ids, 'none'] }, once),
      await user.runs.bulk({ action: 'cancel', ids: [...ids, 'none'] }, once),
    ];
    expect(first).toEqual({
      done: ids,
      failed: [{ id: 'none', code: 'UNKNOWN_RUN', detail: expect.any(String) }],
      hasMore: false,
      nextCursor: null,
    });
    expect(again).toEqual(first);
    const late = await user.runs.bulk({ action: 'resume', ids, dryRun: true });
    expect(late.failed.map(({ code }) => code)).toEqual(ids.map(() => 'NOT_ALLOWED_NOW'));
  });

  test('a bulk retry retries the runs that have failed, and leaves waiting runs unchanged', async () => {
    const [waiting] = await asking(1);
    const graph = aDefinition({
      name: 'failing',
      channels: { n: {} },
      nodes: { count: { type: 'set', write: { n: '{{ int("none") }}' } } },
    });
    const { body } = await stack.as('user').post('/api/runs', { graph }, { prefer: 'wait=30' });
    const id = textAt(body, '/id');
    await stack.as('user').untilRun(id, hasStatus('failed'));
    const { done } = await user.runs.bulk({ action: 'retry', filter: {}, dryRun: true });
    expect(done).toContain(id);
    expect(done).not.toContain(waiting?.runId);
  });

  test('a bulk action does not find runs of another tenant', async () => {
    const [own] = await asking(1);
    const other = createClient({ baseUrl: stack.baseUrl, token: stack.tokens.otherTenantUser });
    const { done, failed } = await other.runs.bulk({ action: 'cancel', ids: [own?.runId ?? ''] });
    expect([done, failed.map(({ code }) => code)]).toEqual([[], ['UNKNOWN_RUN']]);
    expect(await other.runs.bulk({ action: 'cancel', filter: {} })).toMatchObject({ done: [], failed: [] });
  });

  test.each([
    [{ action: 'cancel' }, '/ids'],
    [{ action: 'cancel', ids: ['a'], filter: {} }, '/ids'],
    [{ action: 'skip', ids: ['a'] }, '/action'],
    [{ action: 'cancel', ids: [] }, '/ids'],
    [{ action: 'cancel', filter: { state: 'waiting' } }, '/filter/state'],
    [{ action: 'cancel', filter: { createdAfter: 'yesterday' } }, '/filter/createdAfter'],
  ])('a bulk action with the body %j is refused', async (body, path) => {
    const answer = await stack.as('user').post('/api/runs/bulk', body);
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toContain(path);
  });
});

test('several approvals of one bulk decision are decided independently, each once', async () => {
  const [first, second, third] = (await asking(3)).map(({ approvalId }) => approvalId);
  const approver = createClient({ baseUrl: stack.baseUrl, token: stack.tokens.approver });
  const decisions = [
    { approvalId: first ?? '', decision: 'approve' as const, reason: 'seen' },
    { approvalId: 'none', decision: 'approve' as const },
    { approvalId: second ?? '', decision: 'reject' as const },
    { approvalId: third ?? '', decision: 'approve' as const, digest: 'another' },
  ];
  const once = { idempotencyKey: 'decide-them' };
  const results = await approver.approvals.decideMany(decisions, once);
  expect(results).toMatchObject([
    { approvalId: first, approval: { status: 'approved' } },
    { approvalId: 'none', problem: { code: 'UNKNOWN_APPROVAL', status: 404 } },
    { approvalId: second, approval: { status: 'rejected' } },
    { approvalId: third, problem: { code: 'APPROVAL_CHANGED', status: 412 } },
  ]);
  expect(await approver.approvals.decideMany(decisions, once)).toEqual(results);
  const [late] = await approver.approvals.decideMany(decisions.slice(0, 1));
  expect(late).toMatchObject({ problem: { code: 'ALREADY_DECIDED', status: 409 } });
});
