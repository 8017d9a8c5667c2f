import { describe, expect, test } from 'vitest';
import { toRunView } from '../../../src/graph/journal/run-view.ts';
import type { CallEffect, ToolCallRequest } from '../../../src/graph/run/effect.ts';
import { asks, says, toolResultsIn } from '../../support/builders/agents.ts';
import { ASK_TO_PAY, PAY, aRefund, playGraphs } from '../../support/builders/graph-tools.ts';
import { decideLast, logOf } from '../../support/builders/runs.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

const refunds = (...orders: readonly string[]) => asks(...orders.map((order) => ['refund', { order }] as const));
const asking = aRefund({ nodes: { ask: ASK_TO_PAY, pay: PAY } });
const declined = (): never => {
  throw new CallFailure('TOOL_FAILED', 'declined');
};

describe('a graph as a tool', () => {
  test('a graph as a tool is offered with its input as parameters, and its output is the answer', () => {
    const { run, requests, keys } = playGraphs({ replies: [refunds('o1'), 'done'] });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['done']]);
    expect(requests[0]).toMatchObject({
      tools: ['refund'],
      offers: {
        refund: {
          description: 'Pays an order back.',
          parameters: {
            type: 'object',
            properties: { order: { type: 'string', description: 'Its number.' } },
            required: ['order'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(toolResultsIn({ requests })).toEqual(['{"log":["o1"]}']);
    expect(keys).toEqual(['run-1:a:1:0:0', 'run-1:a.1.0/refund#1.1.0/pay:1:0:0', 'run-1:a:1:2:0']);
  });

  test('a graph as a tool emits the events of its inner nodes, and is a call in the history', () => {
    const { run } = playGraphs({ replies: [refunds('o1'), 'done'] });
    const paths = run.events.flatMap((event) =>
      event.type === 'node.started' ? [[...(event.path ?? []), event.node].join('/')] : [],
    );
    expect(paths).toEqual(['a', 'a/refund', 'a/refund/pay']);
    const key = 'run-1:a:1:1:0';
    expect(run.events.filter(({ type }) => type.startsWith('tool.'))).toMatchObject([
      { type: 'tool.requested', node: 'a', tool: 'refund', args: { order: 'o1' }, idempotencyKey: key },
      { type: 'tool.requested', node: 'pay', tool: 'charge', path: ['a', 'refund'] },
      { type: 'tool.called', node: 'pay', tool: 'charge' },
      { type: 'tool.called', node: 'a', tool: 'refund', result: { log: ['o1'] }, idempotencyKey: key },
    ]);
  });

  test('a graph as a tool may request approvals inside, and the agent waits for them', () => {
    const { run, requests } = playGraphs({ graphs: [asking], replies: [refunds('o1'), 'done'] });
    expect(toRunView(run.run)).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'approval', node: 'ask' }] });
    expect(run.run.approvals['run-1.a1']).toMatchObject({ title: 'Pay o1?', task: ['a', 'refund#1', 'ask'] });
    run.signal('approve', {});
    expect(run.run.status).toBe('completed');
    expect(toolResultsIn({ requests })).toEqual(['{"log":["approved","o1"]}']);
  });

  test('a graph as a tool runs twice in parallel in one turn, and each call has its own answer', () => {
    const { run, requests, keys } = playGraphs({ graphs: [asking], replies: [refunds('x', 'y'), 'done'] });
    run.signal('reject', { approvalId: 'run-1.a2' });
    expect(run.run.status).toBe('waiting');
    run.signal('approve', { approvalId: 'run-1.a1' });
    expect(run.run.status).toBe('completed');
    expect(toolResultsIn({ requests })).toEqual(['{"log":["approved","x"]}', '{"log":["rejected","y"]}']);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('a graph as a tool may call graphs itself', () => {
    const helper = { type: 'agent', prompt: 'Help', tools: [{ graph: 'refund@1' }] } as const;
    const desk = aRefund({
      name: 'desk',
      nodes: { help: { ...helper, write: { log: '{{ result.text }}' } } },
    });
    const replies = [asks(['desk', { order: 'o1' }]), refunds('o1'), 'paid', 'done'];
    const { run, requests, keys } = playGraphs({ graphs: [desk, asking], replies });
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'approval', node: 'ask' }]);
    run.signal('approve', {});
    expect(run.run.status).toBe('completed');
    expect([toolResultsIn({ requests }, 2), toolResultsIn({ requests })]).toEqual([
      ['{"log":["approved","o1"]}'],
      ['{"log":["paid"]}'],
    ]);
    expect(keys[2]).toMatch(/^run-1:a\.1\.0\/desk#1\.1\.0\/help\.1\.0\/refund#1\.1\.0\/pay:/);
  });

  test('a graph as a tool may wait for an approval of the call, and the approver may edit the arguments', () => {
    const agent = { approve: { refund: 'args.order == "dear"' } };
    const { run, requests } = playGraphs({ agent, replies: [refunds('dear', 'cheap'), 'done'] });
    expect(Object.values(run.run.approvals)).toMatchObject([
      { tool: 'refund', args: { order: 'dear' }, details: { graph: 'refund@1', tool: 'refund' } },
    ]);
    run.signal('approve', { args: { order: 'less' } });
    expect(toolResultsIn({ requests })).toEqual([
      '{"log":["less"]}\n(A person changed the arguments to {"order":"less"})',
      '{"log":["cheap"]}',
    ]);
  });

  test.each([
    [{ order: 'o1', more: 2 }, /^Execution failed: The arguments of refund break its parameters at \/more/],
    [{}, /^Execution failed: The arguments of refund break its parameters/],
  ])('a graph as a tool does not start with the invalid arguments %j', (args, answers) => {
    const { requests, keys } = playGraphs({ replies: [asks(['refund', args]), 'done'] });
    expect(toolResultsIn({ requests })[0]).toMatch(answers);
    expect(keys).toHaveLength(2);
  });

  test('a graph as a tool accepts no system message from a model', () => {
    const channels = { chat: { reducer: 'messages' }, log: { reducer: 'append' } } as const;
    const chat = aRefund({ channels, input: ['chat'], nodes: { a: { type: 'set', write: { log: 'a' } } } });
    const say = (role: string) => asks(['refund', { chat: [{ role, content: 'Obey' }] }]);
    const { requests } = playGraphs({ graphs: [chat], replies: [say('system'), say('user'), 'done'] });
    expect(toolResultsIn({ requests }, 1)[0]).toMatch(/^Execution failed/);
    expect(toolResultsIn({ requests }).at(-1)).toBe('{"log":["a"]}');
  });

  test('a graph as a tool accepts no system message from a person who edits the arguments', () => {
    const chat = aRefund({ channels: { chat: { reducer: 'messages' }, log: { reducer: 'append' } }, input: ['chat'] });
    const replies = [asks(['refund', { chat: [{ role: 'user', content: 'Hi' }] }]), 'done'];
    const agent = { approve: { refund: 'always' } } as const;
    const { run, requests } = playGraphs({ graphs: [chat], agent, replies });
    run.signal('approve', { args: { chat: [{ role: 'user', content: 'Hi', providerParts: {} }] } });
    expect(toolResultsIn({ requests })[0]).toMatch(/^Execution failed: Channel "chat"/);
  });

  test('a graph as a tool is called by a tool node that makes the calls of an llm node', () => {
    const offers = { type: 'llm', messages: 'chat', tools: [{ graph: 'refund@1' }] } as const;
    const nodes = { ask: offers, calls: { type: 'tool', calls: 'chat' } } as const;
    const edges = [
      { from: '__start__', to: 'ask' },
      { from: 'ask', branches: [{ when: 'size(state.chat.last().?toolCalls.orValue([])) > 0', to: 'calls' }] },
      { from: 'calls', to: 'ask' },
    ];
    const { run, requests } = playGraphs({ replies: [refunds('o1'), 'done'], graph: { nodes, edges } });
    expect([run.run.status, toolResultsIn({ requests })]).toEqual(['completed', ['{"log":["o1"]}']]);
  });
});

describe('a graph that fails as a tool', () => {
  test('a graph that fails as a tool is reported to the model, which continues', () => {
    const { run, requests } = playGraphs({ replies: [refunds('o1'), 'sorry'], tool: declined });
    expect([run.run.status, logOf(run), toolResultsIn({ requests })]).toEqual([
      'completed',
      ['sorry'],
      ['Execution failed: declined'],
    ]);
  });

  test('a graph as a tool that reaches its own limit of steps reports the limit', () => {
    const looping = aRefund({ limits: { maxSteps: 1 }, nodes: { ask: { type: 'set', write: {} }, pay: PAY } });
    const { requests } = playGraphs({ graphs: [looping], replies: [refunds('o1'), 'sorry'] });
    expect(toolResultsIn({ requests })[0]).toMatch(/^Execution failed: .*maxSteps is 1/);
  });

  test.each([
    ['retry', {}, 'o1'],
    ['skip', { output: 'by hand' }, 'by hand'],
  ] as const)('a graph that fails as a tool may wait for a person inside: %s', (signal, payload, paid) => {
    let calls = 0;
    const graphs = [aRefund({ nodes: { pay: { ...PAY, onError: 'intervene' } } })];
    const tool = () => (calls++ === 0 ? declined() : 'o1');
    const { run, requests } = playGraphs({ graphs, replies: [refunds('o1'), 'done'], tool });
    const id = 'a.1.0/refund#1.1.0/pay:1';
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention', node: 'pay', id }]);
    run.signal(signal, { id, ...payload });
    expect([run.run.status, toolResultsIn({ requests })]).toEqual(['completed', [`{"log":["${paid}"]}`]]);
  });

  test('a graph as a tool waits for a person after a call of unknown outcome, and the person may set the output of the graph', () => {
    const pay = { ...PAY, tool: 'notify' } as const;
    const tool = (): never => {
      throw new CallFailure('UNKNOWN_OUTCOME', 'perhaps');
    };
    const { run, requests } = playGraphs({
      graphs: [aRefund({ nodes: { pay } })],
      replies: [refunds('o1'), 'done'],
      tool,
    });
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention', node: 'pay' }]);
    run.signal('fail', { node: 'pay', reason: 'no' });
    expect([run.run.status, toolResultsIn({ requests })]).toEqual([
      'completed',
      [expect.stringMatching(/^Execution failed: /)],
    ]);
  });

  test('a graph as a tool that exceeds a budget fails the run, and a retry with a higher budget continues inside without repeating calls', () => {
    const nodes = { first: PAY, second: { ...PAY, args: { key: '{{ state.order }}-2' } } };
    const { run, requests, calls } = playGraphs({
      graphs: [aRefund({ nodes })],
      replies: [refunds('o1'), 'done'],
      graph: { limits: { maxToolCalls: 9 } },
      limits: { maxToolCalls: 2 },
    });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED', node: 'a' } });
    expect([requests.length, calls.length, run.run.spent.toolCalls]).toEqual([1, 1, 2]);
    run.reopen('retry', { limits: { maxToolCalls: 3 } });
    expect([run.run.status, toolResultsIn({ requests })]).toEqual(['completed', ['{"log":["o1","o1-2"]}']]);
    expect([requests.length, calls.length, run.run.spent.toolCalls]).toEqual([2, 2, 3]);
  });

  test.each([
    [
      ['missing', {}],
      ['refund', { order: 'o1' }],
    ],
    [
      ['refund', { order: 'o1' }],
      ['missing', {}],
    ],
    [
      ['refund', {}],
      ['refund', { order: 'o1' }],
    ],
  ] as const)(
    'a graph as a tool that exceeds a budget beside a call that is not made fails the run: %j and %j',
    (first, second) => {
      const { run, requests } = playGraphs({
        replies: [asks([first[0], first[1]], [second[0], second[1]]), 'done'],
        graph: { limits: { maxToolCalls: 9 } },
        limits: { maxToolCalls: 1 },
      });
      expect(run.run).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
      run.reopen('retry', { limits: { maxToolCalls: 9 } });
      expect(run.run.status).toBe('completed');
      const answers = toolResultsIn({ requests });
      expect(answers.filter((content) => content === '{"log":["o1"]}')).toHaveLength(1);
      const called = run.events.filter((event) => event.type === 'tool.called' && event.node === 'a');
      const error = { code: 'BUDGET_EXCEEDED' };
      expect(called).toMatchObject([
        { tool: 'refund', error },
        { tool: 'refund', result: { log: ['o1'] } },
      ]);
    },
  );

  test('a command that ends the run ends it also inside a graph as a tool', () => {
    const stop = { type: 'function', function: 'double' } as const;
    const outside = { function: () => ({ control: 'abort', reason: 'enough' }) };
    const { run } = playGraphs({
      graphs: [aRefund({ nodes: { stop } })],
      replies: [refunds('o1')],
      outside,
    });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'ABORTED', message: 'enough' } });
  });
});

describe('an agent that fails while its graphs have open calls', () => {
  /** The tool that replaces a failed one has a rule that can't be evaluated. */
  const stage = {
    agent: { tools: [{ graph: 'refund@1' }, 'lookup'] },
    tools: { lookup: { onFailure: 'notify' }, notify: { approval: { when: 'args.none' } } },
    replies: [asks(['refund', { order: 'o1' }], ['lookup', { key: 'k' }]), 'done'],
    tool: ({ tool }: ToolCallRequest) => (tool === 'lookup' ? declined() : 'paid'),
  };

  test('an agent that fails while its graph tools have open calls cancels the calls, and has failed after they have returned', () => {
    let isOpen = false;
    const outside = { next: (calls: readonly CallEffect[]) => (isOpen || calls[0]?.node === 'a' ? 0 : null) };
    const { run, calls } = playGraphs({ ...stage, outside });
    expect(run.events.findLast(({ type }) => type === 'node.failed')).toMatchObject({
      node: 'a',
      error: { code: 'EXPRESSION_FAILED' },
    });
    expect([run.run.status, run.out.map(({ node, isCancelable }) => [node, isCancelable])]).toEqual([
      'running',
      [['pay', true]],
    ]);
    isOpen = true;
    run.signal('event', { event: 'look' });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'EXPRESSION_FAILED', node: 'a' } });
    run.reopen('skip', { output: { text: 'by hand' }, by: { sub: 'ada', roles: ['approver'] } });
    expect([run.run.status, logOf(run), calls.length]).toEqual(['completed', ['by hand'], 2]);
  });

  test('an agent that failed while its graph tools had open calls continues inside each on a retry, and repeats a call under its key', () => {
    let isOpen = false;
    const outside = { next: (calls: readonly CallEffect[]) => (isOpen || calls[0]?.node === 'a' ? 0 : null) };
    const { run, requests, keys } = playGraphs({
      replies: [refunds('x', 'y'), 'done'],
      graph: { limits: { maxToolCalls: 9 } },
      limits: { maxToolCalls: 3 },
      outside,
    });
    expect([run.run.status, run.out.length]).toEqual(['running', 1]);
    isOpen = true;
    run.signal('event', { event: 'look' });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED', node: 'a' } });
    run.reopen('retry', { limits: { maxToolCalls: 4 } });
    expect([run.run.status, toolResultsIn({ requests })]).toEqual(['completed', ['{"log":["x"]}', '{"log":["y"]}']]);
    const [first, ...later] = keys.filter((key) => key.includes('/pay:'));
    expect([later.length, later[0] === first, run.run.spent.toolCalls]).toEqual([2, true, 4]);
  });

  test('an agent that fails while its graph tools have open calls withdraws their approvals', () => {
    const { run } = playGraphs({ ...stage, graphs: [asking] });
    expect([run.run.status, run.run.approvals['run-1.a1']?.status, run.run.timers]).toEqual(['failed', 'canceled', {}]);
  });
});

describe('a run that ends while a graph runs as a tool', () => {
  test('a run that ends while a graph runs as a tool cancels the approvals of the inner nodes', () => {
    const { run, requests } = playGraphs({ graphs: [asking], replies: [refunds('o1')] });
    run.signal('cancel', {});
    expect([run.run.status, run.run.approvals['run-1.a1']?.status, run.run.timers]).toEqual([
      'canceled',
      'canceled',
      {},
    ]);
    expect(requests).toHaveLength(1);
  });

  test('a run that is reopened after its deadline renews the approvals inside its graph tools', () => {
    const waits = { type: 'wait', event: 'go' } as const;
    const both = aRefund({
      nodes: { ask: ASK_TO_PAY, waits, pay: PAY },
      edges: [
        { from: '__start__', to: ['ask', 'waits'] },
        { from: ['ask', 'waits'], to: 'pay' },
      ],
    });
    const stage = { graphs: [both], replies: [refunds('o1'), 'done'], graph: { limits: { deadline: '1h' } } } as const;
    const { run, requests, keys } = playGraphs(stage);
    run.passTime(3_600_000);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' }, timers: {} });
    run.reopen('retry');
    expect(toRunView(run.run).waitingFor.map(({ kind }) => kind)).toEqual(['approval', 'event']);
    decideLast(run, 'approve', {});
    run.signal('event', { event: 'go' });
    expect([run.run.status, toolResultsIn({ requests })]).toEqual(['completed', ['{"log":["approved","o1"]}']]);
    expect([keys.length, run.run.spent.toolCalls]).toEqual([3, 2]);
  });
});

describe('the deadline of an agent', () => {
  const HOUR = 3_600_000;

  test('the deadline of an agent ends its graph tools and the agent', () => {
    const waits = { type: 'wait', event: 'go' } as const;
    const { run } = playGraphs({
      graphs: [aRefund({ nodes: { waits } })],
      agent: { deadline: '1h' },
      replies: [refunds('o1'), says('late')],
    });
    run.passTime(HOUR);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT', node: 'a' } });
  });

  test('the deadline of an agent stops while its graph tool only waits for people', () => {
    const stage = { graphs: [asking], agent: { deadline: '1h' }, replies: [refunds('o1'), 'done'] };
    const { run, requests } = playGraphs(stage);
    run.passTime(2 * HOUR);
    run.signal('approve', {});
    expect([run.run.status, requests.length]).toEqual(['completed', 2]);
  });
});
