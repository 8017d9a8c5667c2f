import { expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { askFor, toolsOfferedTo, requestsOf, say, toolResultsSentTo } from '../../support/builders/chat-model.ts';
import { aGraphOf, eventsOf, hasStatus, startRun } from '../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { anAgent, useAgentStack } from '../../support/servers/agent-stack.ts';

const { stack, model, service, user } = useAgentStack();

/** A graph with an approval and then a job. */
const aPayment = (over: Partial<GraphDefinition> = {}): GraphDefinition =>
  aDefinition({
    name: 'payment',
    description: 'Pays an order.',
    channels: { order: { schema: { type: 'string' } }, log: { reducer: 'append' } },
    input: ['order'],
    output: ['log'],
    nodes: {
      ask: { type: 'approval', title: 'Pay {{ state.order }}?' },
      pay: { type: 'tool', tool: 'work', args: { job: '{{ state.order }}' }, write: { log: '{{ state.order }}' } },
    },
    ...over,
  });

async function publish(graph: GraphDefinition): Promise<void> {
  const { status } = await user().post('/api/graphs', toJson(graph));
  expect(status).toBeLessThan(300);
}

const withGraph = (graph: string) => aGraphOf(anAgent({ tools: [{ graph }, 'look'] }));

test('a model calls a published graph as a tool twice in parallel, people decide approvals inside, and the run continues with the answers', async () => {
  await publish(aPayment());
  model().answers(
    askFor([
      ['payment', { order: 'o1' }],
      ['payment', { order: 'o2' }],
    ]),
    say('Paid'),
  );
  const run = await startRun(user(), withGraph('payment'), {});
  const id = textAt(run, '/id');
  expect([toolsOfferedTo(model())[0], at(requestsOf(model())[0] ?? null, '/tools/0/function')]).toEqual([
    ['payment', 'look'],
    expect.objectContaining({
      description: 'Pays an order.',
      parameters: expect.objectContaining({ properties: { order: { type: 'string' } }, required: ['order'] }),
    }),
  ]);
  const asked = listAt(run, '/waitingFor');
  expect(asked).toMatchObject([
    { kind: 'approval', node: 'ask' },
    { kind: 'approval', node: 'ask' },
  ]);
  for (const one of asked)
    await stack()
      .as('approver')
      .post(`/api/approvals/${textAt(one, '/id')}/decision`, { decision: 'approve' });
  const ended = await user().untilRun(id, hasStatus('completed'));
  expect(ended).toMatchObject({ output: { answer: { text: 'Paid' } }, usage: { modelCalls: 2, toolCalls: 4 } });
  expect(toolResultsSentTo(model())).toEqual(['{"log":["o1"]}', '{"log":["o2"]}']);
  expect(service().done).toHaveLength(2);
  const { body } = await user().get(`/api/runs/${id}/calls`);
  expect(listAt(body, '/items').map((call) => [at(call, '/kind'), at(call, '/name'), at(call, '/status')])).toEqual(
    expect.arrayContaining([['tool', 'payment', 'completed']]),
  );
  const events = await eventsOf(user(), id);
  expect(events.filter((event) => at(event, '/type') === 'node.started' && at(event, '/node') === 'pay')).toMatchObject(
    [{ path: ['only', 'payment'] }, { path: ['only', 'payment'] }],
  );
});

test('a published agent pins the version of its graph tool, and a graph that would call itself is refused', async () => {
  await publish(aPayment({ name: 'versioned', nodes: { set: { type: 'set', write: { log: 'first' } } } }));
  const agent = aGraphOf(anAgent({ tools: [{ graph: 'versioned' }] }), { name: 'caller' });
  await publish(agent);
  await publish(aPayment({ name: 'versioned', nodes: { set: { type: 'set', write: { log: 'second' } } } }));
  model().answers(askFor([['versioned', { order: 'o' }]]), say('Done'));
  expect(await startRun(user(), 'caller', {})).toMatchObject({ status: 'completed' });
  expect(toolResultsSentTo(model())).toEqual(['{"log":["first"]}']);
  const circle = aPayment({ name: 'versioned', nodes: { a: { ...anAgent({ tools: [{ graph: 'caller' }] }) } } });
  const { status, body } = await user().post('/api/graphs', toJson(circle));
  expect([status, listAt(body, '/issues').map((issue) => at(issue, '/code'))]).toEqual([422, ['RECURSIVE_SUBGRAPH']]);
});

test('a graph tool is offered and called as its node configures it, and is drawn inside the node in diagrams', async () => {
  await publish(aPayment({ name: 'settle', nodes: { set: { type: 'set', write: { log: '{{ state.order }}' } } } }));
  const tools = [{ graph: 'settle', as: 'pay_order', description: 'Pays, once.' }];
  await publish(aGraphOf(anAgent({ tools }), { name: 'renamed' }));
  model().answers(askFor([['pay_order', { order: 'o' }]]), say('Done'));
  const run = await startRun(user(), 'renamed', {});
  expect(run).toMatchObject({ status: 'completed' });
  expect(at(requestsOf(model())[0] ?? null, '/tools/0/function')).toMatchObject({
    name: 'pay_order',
    description: 'Pays, once.',
  });
  expect(toolResultsSentTo(model())).toEqual(['{"log":["o"]}']);
  const id = textAt(run, '/id');
  const events = await eventsOf(user(), id);
  expect(events.filter((event) => at(event, '/node') === 'set').map((event) => at(event, '/path'))).toContainEqual([
    'only',
    'pay_order',
  ]);
  const diagram = await fetch(new URL(`/api/graphs/renamed/diagram?run=${id}`, stack().baseUrl), {
    headers: { authorization: `Bearer ${stack().tokens.user}` },
  });
  const drawn = await diagram.text();
  expect(drawn).toContain('subgraph n_only');
  expect(drawn).toMatch(/class [\w,]*n_only_pay_order[\w,]* visited/);
});

test('a redacted value that a graph tool returns is redacted in the call and in the agent’s output', async () => {
  const channels = { order: {}, log: { redact: true } } as const;
  await publish(aPayment({ name: 'discreet', channels, nodes: { set: { type: 'set', write: { log: 'hush' } } } }));
  model().answers(askFor([['discreet', { order: 'o' }]]), say('It is hush'));
  const run = await startRun(user(), withGraph('discreet'), {});
  const id = textAt(run, '/id');
  expect(run).toMatchObject({ status: 'completed', output: { answer: '[redacted]' } });
  const seen = JSON.stringify([await eventsOf(user(), id), (await user().get(`/api/runs/${id}/calls`)).body]);
  expect(seen).not.toContain('hush');
  expect(JSON.stringify(await eventsOf(stack().as('admin'), id))).toContain('hush');
});
