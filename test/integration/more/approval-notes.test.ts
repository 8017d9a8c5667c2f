import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf, hasStatus, startAsking } from '../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({});
});
afterAll(async () => {
  await stack.stop();
});

type Role = 'user' | 'admin' | 'approver' | 'approver2' | 'otherTenantUser';
/** @param path the id of the approval and the operation, such as `a1/remind` */
const post = async (role: Role, path: string, body: object = {}) =>
  await stack.as(role).post(`/api/approvals/${path}`, body);
const commentsOf = async (id: string) =>
  listAt((await stack.as('user').get(`/api/approvals/${id}`)).body, '/comments').map((one) => at(one, '/text'));

describe('a comment', () => {
  test('a comment on an approval is listed in the approval and in the inbox, once per Idempotency-Key', async () => {
    const { approvalId: id, runId } = await startAsking(stack.as('user'));
    expect(await post('user', `${id}/comment`, { text: 'Why?' })).toMatchObject({
      status: 200,
      body: { id, status: 'pending', comments: [{ text: 'Why?' }] },
    });
    for (const _again of [1, 2])
      expect(
        await stack
          .as('approver')
          .post(`/api/approvals/${id}/comment`, { text: 'Because.' }, { 'idempotency-key': 'k' }),
      ).toMatchObject({
        status: 200,
      });
    expect(await commentsOf(id)).toEqual(['Why?', 'Because.']);
    for (const text of ['So?', 'Good.']) await post('user', `${id}/comment`, { text });
    const { body } = await stack.as('approver').get(`/api/approvals?runId=${runId}`);
    const listed = listAt(body, '/items/0/comments').map((one) => at(one, '/text'));
    expect([listed, await commentsOf(id)]).toEqual([
      ['Because.', 'So?', 'Good.'],
      ['Why?', 'Because.', 'So?', 'Good.'],
    ]);
  });

  test('a comment on an approval is refused from unauthorized callers, without a text, or with too long a text', async () => {
    const { approvalId: id } = await startAsking(stack.as('user'));
    expect(await post('otherTenantUser', `${id}/comment`, { text: 'Hi' })).toMatchObject({ status: 404 });
    for (const text of ['', 'x'.repeat(4_001), 'a\0b', '\ud800'])
      expect(await post('user', `${id}/comment`, { text })).toMatchObject({
        status: 422,
        body: { issues: [{ path: '/text' }] },
      });
    expect(await commentsOf(id)).toEqual([]);
  });
});

test('a reminder of an approval is recorded and sent to webhooks, and a second one is refused as too soon', async () => {
  const webhook = { url: 'https://a.example', events: ['approval.reminder'] };
  const { body: added } = await stack.as('user').post('/api/webhooks', webhook);
  const { approvalId: id, runId } = await startAsking(stack.as('user'));
  const { body } = await post('user', `${id}/remind`);
  expect(at(body, '/remindedAt')).toEqual(expect.any(String));
  const told = await stack.as('user').get(`/api/webhooks/${textAt(added, '/id')}/deliveries`);
  expect(told.body).toMatchObject({ items: [{ type: 'approval.reminder' }] });
  const soon = await post('approver', `${id}/remind`);
  expect(soon).toMatchObject({ status: 429, body: { code: 'TOO_SOON' } });
  expect(Number(soon.headers.get('retry-after'))).toBeGreaterThan(590);
  await post('approver', `${id}/decision`, { decision: 'reject' });
  await stack.as('user').untilRun(runId, (run) => at(run, '/endedAt') !== null);
  expect(await post('user', `${id}/remind`)).toMatchObject({ status: 409, body: { code: 'NOT_ALLOWED_NOW' } });
});

describe('a reassignment', () => {
  const subOf = async (role: Role): Promise<string> => {
    const { approvalId } = await startAsking(stack.as('user'));
    const { body } = await post(role, `${approvalId}/decision`, { decision: 'approve' });
    return textAt(body, '/decisions/0/by');
  };

  test('a reassignment of an approval is listed, sent to webhooks, and enforced: only the assignees can decide', async () => {
    const other = await subOf('approver2');
    const { approvalId: id, runId } = await startAsking(stack.as('user'), { policy: { roles: ['approver'] } });
    const given = await post('approver', `${id}/reassign`, { users: [other] });
    expect(given).toMatchObject({ status: 200, body: { id, status: 'pending', policy: { users: [other] } } });
    expect(await eventsOf(stack.as('user'), runId, 'approval.reassigned')).toMatchObject([
      { approvalId: id, from: { roles: ['approver'], users: [] }, to: { roles: [], users: [other] } },
    ]);
    const refused = await post('approver', `${id}/decision`, { decision: 'approve' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'NOT_AN_APPROVER' } });
    expect((await stack.as('approver').get(`/api/approvals?runId=${runId}&mine=true`)).body).toMatchObject({
      items: [],
    });
    expect(await post('approver2', `${id}/decision`, { decision: 'approve' })).toMatchObject({ status: 200 });
    await expect
      .poll(async () => (await stack.as('user').get(`/api/runs/${runId}`)).body)
      .toSatisfy(hasStatus('completed'));
    expect(await post('approver', `${id}/reassign`, { users: [other] })).toMatchObject({ status: 409 });
  });

  test('a reassignment of an approval gives no right to the person who makes it', async () => {
    const { approvalId: id } = await startAsking(stack.as('user'), { policy: { roles: ['lead'] } });
    const to = { users: ['bob'] };
    expect(await post('user', `${id}/reassign`, to)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await post('approver', `${id}/reassign`, to)).toMatchObject({
      status: 403,
      body: { code: 'NOT_AN_APPROVER' },
    });
    expect(await post('admin', `${id}/reassign`, {})).toMatchObject({ status: 422 });
  });

  test('a reassignment of an approval is answered although concurrent ones were processed before it', async () => {
    const { approvalId: id } = await startAsking(stack.as('user'), { policy: { roles: ['lead'] } });
    const names = ['ann', 'bob', 'cid', 'ann'];
    const given = await Promise.all(names.map((name) => post('admin', `${id}/reassign`, { users: [name] })));
    expect(given.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await post('admin', `${id}/reassign`, { users: ['ann'] })).toMatchObject({ body: { reassigned: 5 } });
  });
});
