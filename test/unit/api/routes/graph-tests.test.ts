import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aDefinition } from '../../../support/builders/builders.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/* A refund is looked up, a person approves it, a payment follows, and the customer confirms. */

const REFUND = aDefinition({
  name: 'refund',
  channels: { order: { schema: { type: 'string' } }, total: {}, receipt: {}, answer: {}, said: {} },
  nodes: {
    lookup: { type: 'tool', tool: 'find', args: {}, write: { total: '{{ result.total }}' } },
    ask: { type: 'approval', title: 'Refund?' },
    pay: { type: 'tool', tool: 'pay', args: {}, write: { receipt: '{{ result }}' }, onError: { to: 'tell' } },
    tell: { type: 'llm', model: 'default', prompt: 'Tell', write: { answer: '{{ result.text }}' } },
    hear: { type: 'wait', event: 'heard', timeout: '1h', write: { said: '{{ result }}' } },
  },
  edges: [
    { from: '__start__', to: 'lookup' },
    { from: 'lookup', to: 'ask' },
    { from: 'ask', to: 'pay' },
    { from: 'pay', to: 'tell' },
    { from: 'tell', to: 'hear' },
    { from: 'hear', to: '__end__' },
  ],
});
const WAY = ['lookup', 'ask', 'pay', 'tell', 'hear'];
const WHOLE = {
  input: { order: 'A-1' },
  outputs: { lookup: [{ total: 40 }], pay: ['R-1'], tell: ['It is paid.'] },
  decisions: [{ node: 'ask', decision: 'approve', by: 'ann', after: '3h' }],
  events: [{ name: 'heard', payload: 'Thanks', after: '4h' }],
};

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    models: { default: { provider: 'openai', model: 'none' } },
    tools: ['find', 'pay'].map((name) => ({
      name,
      description: '',
      parameters: true,
      method: 'POST',
      url: 'https://pay.example/',
      effect: 'keyed',
    })),
  });
  await api.as('user').post('/api/graphs', REFUND);
});
afterAll(async () => await api.stop());

const play = async (body: object, name = 'refund') => await api.as('user').post(`/api/graphs/${name}/test`, body);

describe('a test of a graph', () => {
  test('a graph test plays its run with the given outputs, decisions and events', async () => {
    const expect_ = { path: WAY, state: { receipt: 'R-1', answer: 'It is paid.', said: 'Thanks' } };
    const answer = await play({ ...WHOLE, expect: expect_ }, 'refund@1');
    expect(answer).toMatchObject({ status: 200, body: { status: 'completed', path: WAY, mismatch: null } });
    expect(answer.body).toMatchObject({ steps: WAY.map((node) => [node]), state: { total: 40 }, error: null });
  });

  test('a graph test leaves no run behind', async () => {
    await play(WHOLE);
    expect((await api.as('user').get('/api/runs')).body).toEqual({ items: [], nextCursor: null });
  });

  const lacking = [
    ['output', 'pay', { ...WHOLE, outputs: { lookup: [{ total: 40 }] } }, 'an output'],
    ['approval', 'ask', { ...WHOLE, decisions: [] }, ['approve', 'reject', 'timeout']],
    ['event', 'hear', { ...WHOLE, events: [] }, 'heard'],
  ] as const;
  test.each(lacking)(
    'a graph test without an %s for "%s" fails with that message',
    async (...[kind, node, body, expected]) => {
      const { status, body: tested } = await play(body);
      expect(status).toBe(200);
      expect(tested).toMatchObject({ mismatch: { kind, node, expected, message: expect.stringContaining(node) } });
    },
  );

  test('a graph test continues after the timeout of a wait only if its decisions contain the timeout', async () => {
    const decisions = [...WHOLE.decisions, { node: 'hear', decision: 'timeout' }];
    const { body } = await play({ ...WHOLE, decisions, events: [] });
    expect(body).toMatchObject({ status: 'completed', state: { said: null }, mismatch: null });
  });

  test('a graph test can let a call fail', async () => {
    const outputs = { ...WHOLE.outputs, pay: [{ $error: 'no money' }] };
    const { body } = await play({ ...WHOLE, outputs });
    expect(body).toMatchObject({ status: 'completed', path: WAY, mismatch: null });
    expect(body).not.toHaveProperty('state.receipt', 'R-1');
  });

  test.each([
    ['path', { path: ['lookup', 'pay'] }, 'pay', 'ask'],
    ['state', { state: { total: 41 } }, 41, 40],
  ])(
    'a graph test with a failed expectation reports where the %s differs',
    async (...[kind, wanted, expected, actual]) => {
      const { body } = await play({ ...WHOLE, expect: wanted });
      expect(body).toMatchObject({ mismatch: { kind, node: null, expected, actual } });
    },
  );
});

describe('a graph test is refused', () => {
  test("a graph test of another tenant's graph is refused", async () => {
    const answer = await api.as('otherTenantUser').post('/api/graphs/refund/test', WHOLE);
    expect(answer).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
  });

  test('a graph test with an input that the graph does not accept is refused', async () => {
    const answer = await play({ ...WHOLE, input: { order: 1 } });
    expect(answer).toMatchObject(aProblem(422, 'INVALID_INPUT'));
    expect(issuePathsOf(answer)).toEqual(['/input/order']);
  });

  test.each([
    ['/outputs', { outputs: { pay: 1 } }],
    ['/decisions/0/decision', { decisions: [{ node: 'ask', decision: 'perhaps' }] }],
    ['/events/0/after', { events: [{ name: 'heard', after: 'soon' }] }],
    ['/output', { output: {} }],
  ])('an invalid graph test is refused with a pointer to %s', async (path, body) => {
    const answer = await play(body);
    expect(answer).toMatchObject({ status: 422 });
    expect(issuePathsOf(answer)).toEqual([path]);
  });
});
