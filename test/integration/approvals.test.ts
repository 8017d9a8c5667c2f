import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApprovalPolicy } from '../../src/graph/definition/node-types/approval.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { eventsOf, readAll, startAsking, startRun } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { createDecisions } from '../support/readers/decisions.ts';
import type { DecidingCaller } from '../support/readers/decisions.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let stack: TestStack;
const { answerOf, approvalOf, approve, asking, decide } = createDecisions(() => stack);
beforeAll(async () => {
  stack = await startTestStack({});
});
afterAll(async () => {
  await stack.stop();
});

const inbox = async (query: string, caller: DecidingCaller = 'approver') =>
  await readAll(stack.as(caller), `/api/approvals?${query}`, 2);
const idsOf = (approvals: readonly Json[]): string[] => approvals.map((approval) => textAt(approval, '/id'));
/** Starts a run with two approvals at the same time. */
async function startAskingTwice(): Promise<{ readonly runId: string; readonly ids: readonly string[] }> {
  const ask = { type: 'approval', title: 'May I?' } as const;
  const edges = [{ from: '__start__', to: ['one', 'two'] }];
  const run = await startRun(stack.as('user'), aDefinition({ nodes: { one: ask, two: ask }, edges }));
  return { runId: textAt(run, '/id'), ids: [textAt(run, '/waitingFor/0/id'), textAt(run, '/waitingFor/1/id')] };
}

describe('the inbox', () => {
  test('the approval inbox lists the approvals of all runs, newest first', async () => {
    const asked = [await asking(), await asking(), await asking()].map(({ approvalId }) => approvalId);
    expect(idsOf(await inbox('status=pending')).filter((id) => asked.includes(id))).toEqual(asked.toReversed());
  });

  test('the approval inbox can be limited to approvals that the caller may decide, page by page', async () => {
    const shared = { roles: ['approver'], quorum: 2 };
    const [mine, theirs, decided] = [
      await startAsking(stack.as('user'), { policy: shared, timeout: '1h' }),
      await startAsking(stack.as('user'), { policy: { users: ['somebody-else'] }, timeout: '1h' }),
      await startAsking(stack.as('user'), { policy: shared, timeout: '1h' }),
    ].map(({ approvalId }) => approvalId);
    const asked = new Set([mine, theirs, decided]);
    const found = async (query: string, caller: DecidingCaller = 'approver') =>
      idsOf(await inbox(query, caller)).filter((id) => asked.has(id));
    await stack.as('approver').post(`/api/approvals/${decided}/decision`, { decision: 'approve' });
    await expect.poll(async () => await found('mine=true')).toEqual([mine]);
    expect(await found('mine=true', 'approver2')).toEqual([decided, mine]);
    expect(await found('mine=false')).toEqual([decided, theirs, mine]);
    const due = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
    expect(await found(`dueBefore=${due(2)}&mine=true`)).toEqual([mine]);
    expect(await found(`dueBefore=${due(0.5)}`)).toEqual([]);
    expect(await found('mine=true&status=approved')).toEqual([]);
    expect(await found('graph=nothing')).toEqual([]);
    expect(await found('tool=pay')).toEqual([]);
  });

  test('the approval inbox can be filtered by run', async () => {
    const [, run] = [await asking(), await startAskingTwice()];
    expect(idsOf(await inbox(`runId=${run.runId}`)).toSorted()).toEqual(run.ids.toSorted());
  });

  test.each([
    ['approved', 'approve'],
    ['rejected', 'reject'],
  ])('the approval inbox can be filtered by the status %s', async (status, decision) => {
    const [run, open] = [await asking(), await asking()];
    await decide('approver', run, { decision });
    const found = async () => idsOf(await inbox(`status=${status}`));
    await expect.poll(found).toContain(run.approvalId);
    expect(await found()).not.toContain(open.approvalId);
  });

  test('the approval inbox lists only approvals of the caller’s tenant', async () => {
    const { runId } = await asking();
    expect(await inbox(`runId=${runId}`, 'otherTenantUser')).toEqual([]);
  });

  test('the approval inbox refuses an unknown status filter', async () => {
    const answer = await stack.as('approver').get('/api/approvals?status=open');
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual(['/status']);
  });
});

describe('an approval', () => {
  test('an approval in the API contains its question, requester and expiry', async () => {
    const schema = { type: 'object' } as const;
    const question = {
      title: 'Pay {{ 6 * 7 }}?',
      details: { why: 'because' },
      args: { amount: 42 },
      argsSchema: schema,
      decisionSchema: schema,
    };
    const run = await asking({ ...question, policy: { roles: ['approver'] }, timeout: '1h' });
    const approval = await approvalOf(run);
    expect(approval).toEqual({
      ...question,
      id: run.approvalId,
      runId: run.runId,
      graph: 'test',
      node: 'only',
      title: 'Pay 42?',
      policy: { roles: ['approver'] },
      who: 'approver',
      progress: { needed: 1, by: [] },
      status: 'pending',
      decisions: [],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      previous: [],
      comments: [],
      remindedAt: null,
      requestedBy: 'uma',
      requestedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(Date.parse(textAt(approval, '/expiresAt')) - Date.parse(textAt(approval, '/requestedAt'))).toBe(3_600_000);
  });

  test('an approval is not found by callers of another tenant', async () => {
    const { approvalId } = await asking();
    const [foreign, missing] = await Promise.all(
      [approvalId, 'none'].map((id) => stack.as('otherTenantUser').get(`/api/approvals/${id}`)),
    );
    expect(foreign).toMatchObject(aProblem(404, 'UNKNOWN_APPROVAL'));
    expect(JSON.stringify(foreign?.body)).toBe(JSON.stringify(missing?.body).replaceAll('none', approvalId));
  });
});

describe('a decision', () => {
  test.each([
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ])('a decision to %s an approval lets the run continue with the answer', async (decision, status) => {
    const run = await asking({ args: { amount: 1 } });
    const { body } = await decide('approver', run, { decision, reason: 'so be it' });
    const decisions = [{ by: 'ada', decision, reason: 'so be it' }];
    expect(body).toMatchObject({ id: run.approvalId, status, decisions });
    const given = { by: 'ada', reason: 'so be it', at: textAt(body, '/decisions/0/at') };
    expect(await answerOf(run)).toEqual({ decision: status, args: { amount: 1 }, values: null, ...given });
  });

  test.each(['approve', 'reject'])(
    'POST /api/runs/{id}/%s needs no approval id while only one approval is pending',
    async (decision) => {
      const run = await asking();
      const answer = await stack.as('approver').post(`/api/runs/${run.runId}/${decision}`, {});
      expect(answer).toMatchObject({ status: 200, body: { id: run.approvalId } });
      expect(await answerOf(run)).toMatchObject({ decision: decision === 'approve' ? 'approved' : 'rejected' });
    },
  );

  test('a decision without an approval id is refused while several are pending, and the error lists their ids', async () => {
    const { runId, ids } = await startAskingTwice();
    const answer = await stack.as('approver').post(`/api/runs/${runId}/approve`, {});
    expect(answer).toMatchObject(aProblem(422, 'APPROVAL_ID_REQUIRED'));
    for (const id of ids) expect(textAt(answer.body, '/detail')).toContain(id);
  });

  test('a decision with an approval id decides that approval only', async () => {
    const { runId, ids } = await startAskingTwice();
    const [first = '', second = ''] = ids;
    await stack.as('approver').post(`/api/runs/${runId}/reject`, { approvalId: second });
    await expect.poll(async () => idsOf(await inbox(`runId=${runId}&status=pending`))).toEqual([first]);
  });

  test('a decision on an approval of another run is refused', async () => {
    const [one, two] = [await asking(), await asking()];
    const answer = await stack.as('approver').post(`/api/runs/${one.runId}/approve`, { approvalId: two.approvalId });
    expect(answer).toMatchObject(aProblem(404, 'UNKNOWN_APPROVAL'));
    expect(await approvalOf(two)).toMatchObject({ status: 'pending' });
  });

  test("a decision is recorded as an event of the run's history", async () => {
    const run = await asking();
    await approve('approver', run, { reason: 'fine' });
    await answerOf(run);
    const decided = { node: 'only', approvalId: run.approvalId, by: 'ada', decision: 'approve', reason: 'fine' };
    expect(await eventsOf(stack.as('user'), run.runId, 'approval.decided')).toMatchObject([decided]);
  });

  test('a decision that is neither approve nor reject is refused', async () => {
    const answer = await decide('approver', await asking(), { decision: 'maybe', comment: 'x' });
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer).toSorted()).toEqual(['/comment', '/decision']);
  });
});

describe('edited arguments', () => {
  const argsSchema = {
    type: 'object',
    properties: { amount: { type: 'number', maximum: 50 } },
    required: ['amount'],
  } as const;
  const edited = { args: { amount: 40 }, argsSchema };

  test('a call is made with the arguments that the approver edited', async () => {
    const run = await asking(edited);
    const { body } = await approve('approver', run, { args: { amount: 25 } });
    expect([body, await answerOf(run)]).toMatchObject([{ args: { amount: 25 } }, { args: { amount: 25 } }]);
  });

  test.each([
    [{ amount: 51 }, '/args/amount'],
    [{ amount: 'all' }, '/args/amount'],
    [{}, '/args'],
    [null, '/args'],
  ])('edited arguments %j of an approval are refused, and the approval stays open', async (args, path) => {
    const run = await asking(edited);
    const answer = await approve('approver', run, { args });
    expect(answer).toMatchObject(aProblem(422, 'INVALID_ARGS'));
    expect(issuePathsOf(answer)).toEqual([path]);
    expect(await approvalOf(run)).toMatchObject({ status: 'pending', decisions: [], args: { amount: 40 } });
  });
});

describe('values of a decision', () => {
  const decisionSchema = { type: 'object', properties: { ticket: { type: 'string' } }, required: ['ticket'] } as const;

  test("the values of a decision are part of the approval node's result", async () => {
    const run = await asking({ decisionSchema });
    await approve('approver', run, { values: { ticket: 'T-7' } });
    expect(await answerOf(run)).toMatchObject({ values: { ticket: 'T-7' } });
  });

  test.each([
    [{ values: { ticket: 7 } }, '/values/ticket'],
    [{ values: {} }, '/values'],
    [{}, '/values'],
  ])('an approval whose form requires values refuses a decision with %j', async (given, path) => {
    const run = await asking({ decisionSchema });
    const answer = await approve('approver', run, given);
    expect(answer).toMatchObject(aProblem(422, 'INVALID_VALUES'));
    expect(issuePathsOf(answer)).toEqual([path]);
    expect(await approvalOf(run)).toMatchObject({ status: 'pending' });
  });

  test('a rejection needs no values although the form of the approval requires them', async () => {
    const run = await asking({ decisionSchema });
    expect(await decide('approver', run, { decision: 'reject' })).toMatchObject({ status: 200 });
  });
});

describe('a policy', () => {
  test.each([
    ['approve', {}],
    ['reject', { reason: '  ' }],
    ['approve', { reason: '…' }],
  ])('an approval policy that requires a reason refuses the decision to %s with %j', async (decision, given) => {
    const run = await asking({ policy: { requireReason: true } });
    const answer = await decide('approver', run, { decision, ...given });
    expect(answer).toMatchObject(aProblem(422, 'REASON_REQUIRED'));
    expect(issuePathsOf(answer)).toEqual(['/reason']);
    expect(await approvalOf(run)).toMatchObject({ status: 'pending' });
  });

  const policies: readonly [ApprovalPolicy, DecidingCaller, number][] = [
    [{ roles: ['approver'] }, 'approver', 200],
    [{ roles: ['treasurer'] }, 'approver', 403],
    [{ users: ['bob'] }, 'approver2', 200],
    [{ users: ['bob'] }, 'approver', 403],
    [{ users: ['bob'], roles: ['approver'] }, 'approver', 200],
    [{ roles: ['treasurer'], escalate: [{ after: '1h', roles: ['approver'] }] }, 'approver', 403],
    [{ roles: ['treasurer'], escalate: [{ after: '1ms', roles: ['approver'] }] }, 'approver', 200],
    [{ roles: ['user'], users: ['uma'] }, 'user', 403],
    [{}, 'user', 403],
    [{}, 'otherTenantUser', 403],
  ];
  test.each(policies)(
    'an approval policy with %j answers a decision by the caller %s with status %i',
    async (policy, caller, status) => {
      const run = await asking({ policy });
      expect(await approve(caller, run)).toMatchObject({ status });
      const expected = { status: status === 200 ? 'approved' : 'pending' };
      await expect.poll(async () => await approvalOf(run)).toMatchObject(expected);
    },
  );

  test('an approval policy refuses an unauthorized person with an error that names who may decide', async () => {
    const answer = await approve('approver', await asking({ policy: { users: ['bob'], roles: ['treasurer'] } }));
    expect(answer).toMatchObject(aProblem(403, 'NOT_AN_APPROVER'));
    expect(textAt(answer.body, '/detail')).toMatch(/treasurer.*bob/);
  });

  test('an approval policy that excludes the requester lets others decide', async () => {
    const run = await startAsking(stack.as('admin'), { policy: { excludeRequester: true } });
    expect(await approve('admin', run)).toMatchObject(aProblem(403, 'NOT_AN_APPROVER'));
    expect(await approve('approver', run)).toMatchObject({ status: 200 });
  });
});

describe('a quorum of two', () => {
  const policy = { quorum: 2 };

  test('an approval with a quorum of two needs the approval of two people', async () => {
    const run = await asking({ policy });
    expect(await approve('approver', run)).toMatchObject({ status: 200, body: { status: 'pending' } });
    expect(await approve('approver', run)).toMatchObject(aProblem(409, 'ALREADY_DECIDED'));
    const decisions = [{ by: 'ada' }, { by: 'bob' }];
    expect(await approve('approver2', run)).toMatchObject({ status: 200, body: { status: 'approved', decisions } });
    expect(await answerOf(run)).toMatchObject({ decision: 'approved' });
  });

  test('a quorum of two counts the approvals of different people, although one of them edits the arguments', async () => {
    const run = await asking({ policy, args: { euros: 1 } });
    await approve('approver', run);
    await decide('approver2', run, { decision: 'approve', args: { euros: 2 } });
    const decisions = [{ by: 'ada' }, { by: 'bob' }, { by: 'ada' }];
    expect(await approve('approver', run)).toMatchObject({ status: 200, body: { status: 'approved', decisions } });
    expect(await answerOf(run)).toMatchObject({ args: { euros: 2 } });
  });

  test('one rejection decides an approval with a quorum of two', async () => {
    const run = await asking({ policy });
    await approve('approver', run);
    const { body } = await decide('approver2', run, { decision: 'reject' });
    expect(body).toMatchObject({ status: 'rejected' });
  });
});

describe('an approval is bound to its content', () => {
  const definition = aDefinition({
    channels: { amount: { default: 40 }, out: {} },
    nodes: {
      ask: { type: 'approval', title: 'Pay?', args: { amount: '{{ state.amount }}' }, write: 'out' },
      pay: { type: 'set', write: {} },
    },
    edges: [
      { from: '__start__', to: 'ask' },
      { from: 'ask', to: 'pay' },
    ],
  });

  test('an approval refuses a decision on the content from before an edit of the state', async () => {
    const run = await startRun(stack.as('user'), definition);
    const [runId, first] = [textAt(run, '/id'), textAt(run, '/waitingFor/0/id')];
    const pending = async () =>
      at((await stack.as('approver').get(`/api/approvals?status=pending&runId=${runId}`)).body, '/items/0') ?? null;
    const digest = textAt(await pending(), '/digest');
    const { headers } = await stack.as('user').get(`/api/runs/${runId}/state`);
    const edited = await stack.as('user').send(`/api/runs/${runId}/state`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'if-match': headers.get('etag') ?? '' },
      body: JSON.stringify({ values: { amount: 4000 } }),
    });
    expect(edited.status).toBe(200);
    const path = `/api/runs/${runId}/approve`;
    // Without an id the decision refers to the first approval, which was withdrawn.
    expect(await stack.as('approver').post(path, { digest })).toMatchObject(aProblem(409, 'APPROVAL_CANCELED'));
    const approvalId = textAt(await pending(), '/id');
    expect(await stack.as('approver').post(path, { approvalId }, { 'if-match': `"${digest}"` })).toMatchObject(
      aProblem(412, 'APPROVAL_CHANGED'),
    );
    expect(await pending()).toMatchObject({ args: { amount: 4000 }, previous: [{ id: first, status: 'canceled' }] });
    const now = textAt(await pending(), '/digest');
    expect((await stack.as('approver').post(path, { approvalId }, { 'if-match': `"${now}"` })).status).toBe(200);
  });

  test('starting a run after its approval node needs the right to decide the approval', async () => {
    const body = { graph: definition, input: {}, startAt: 'pay' };
    expect(await stack.as('user').post('/api/runs', body)).toMatchObject(aProblem(403, 'NOT_AN_APPROVER'));
    expect((await stack.as('admin').post('/api/runs', body)).status).toBe(201);
  });
});
