import { describe, expect, test } from 'vitest';
import type { ToolEntry } from '../../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { OfferedTool } from '../../../src/graph/definition/node-types/offered-tool.ts';
import { approvalDigest } from '../../../src/graph/run/approval.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { asks, playAgent, toolResultsIn } from '../../support/builders/agents.ts';
import type { Agent, Played, Said } from '../../support/builders/agents.ts';
import { aRefund, playGraphs } from '../../support/builders/graph-tools.ts';
import { decideLast } from '../../support/builders/runs.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

const UMA = { sub: 'uma', roles: ['user'] };
const ADA = { sub: 'ada', roles: ['approver'] };

const orders: Partial<ToolEntry> = {
  description: 'Finds orders.',
  parameters: {
    type: 'object',
    properties: { customer: { type: 'string' }, key: { type: 'string' }, limit: { type: 'number', default: 5 } },
    required: ['customer', 'key'],
    additionalProperties: false,
  },
};
const MINE = { tool: 'orders', args: { customer: '{{ state.customer }}' } };

const channels: NonNullable<GraphDefinition['channels']> = { customer: { default: 'C-1' }, log: { reducer: 'append' } };

function playOrders(
  tools: readonly OfferedTool[],
  replies: readonly Said[],
  entry: Partial<ToolEntry> = {},
  over: Agent = {},
): Played {
  const agent = { type: 'agent', prompt: 'Hello', tools, write: { log: ['{{ result }}'] }, ...over } as const;
  return playAgent(
    {},
    { replies, tools: { orders: { ...orders, ...entry } }, graph: { channels, nodes: { a: agent } } },
  );
}

const argsOf = ({ calls }: Played): readonly Json[] => calls.map(({ args }) => args);
const approvalsOf = ({ run }: Played) => Object.values(run.run.approvals);

describe('a fixed argument', () => {
  test('a fixed argument is filled at the call, and the model does not see it', () => {
    const played = playOrders([MINE], [asks(['orders', { key: 'k' }]), 'done']);
    expect(argsOf(played)).toEqual([{ customer: 'C-1', key: 'k', limit: 5 }]);
    expect(played.requests[0]).toMatchObject({ tools: ['orders'] });
    expect(played.requests[0]?.offers).toEqual({
      orders: {
        description: 'Finds orders.',
        parameters: {
          type: 'object',
          properties: { key: { type: 'string' }, limit: { type: 'number', default: 5 } },
          required: ['key'],
          additionalProperties: false,
        },
      },
    });
    expect(JSON.stringify(played.requests)).not.toContain('C-1');
  });

  test('one tool is there twice, each with its own fixed arguments and description', () => {
    const other = { tool: 'orders', as: 'open_orders', args: { customer: 'C-2' }, description: 'Finds open ones.' };
    const replies = [asks(['orders', { key: 'a' }], ['open_orders', { key: 'b' }]), 'done'];
    const played = playOrders([MINE, other], replies);
    expect(played.calls).toMatchObject([
      { tool: 'orders', args: { customer: 'C-1', key: 'a' } },
      { tool: 'orders', args: { customer: 'C-2', key: 'b' } },
    ]);
    expect(played.requests[0]?.offers).toMatchObject({ open_orders: { description: 'Finds open ones.' } });
  });

  test.each<[string, Json, string]>([
    ['another value', { key: 'k', customer: 'C-9' }, 'Execution failed: orders takes no argument "customer" here'],
    ['the same value', { key: 'k', customer: 'C-1' }, 'Execution failed: orders takes no argument "customer" here'],
    ['no object', ['C-9'], 'Execution failed: The arguments of orders must be an object'],
    ['an unknown argument', { key: 'k', Customer: 'C-9' }, 'Execution failed: The arguments of orders break'],
  ])('a model that sends %s for a fixed argument is told so, and nothing is called', (_what, args, answer) => {
    const played = playOrders([MINE], [asks(['orders', args]), 'done']);
    expect(argsOf(played)).toEqual([]);
    expect(toolResultsIn(played)).toEqual([expect.stringContaining(answer)]);
    expect(toolResultsIn(played)[0]).not.toContain('C-1');
  });

  test.each<[string, Json]>([
    ['null', null],
    ['an empty object', {}],
  ])('a call needs no arguments of the model if all are fixed: %s', (_what, args) => {
    const all = { tool: 'orders', args: { customer: 'C-1', key: 'k', limit: '{{ 3 }}' } };
    expect(argsOf(playOrders([all], [asks(['orders', args]), 'done']))).toEqual([
      { customer: 'C-1', key: 'k', limit: 3 },
    ]);
  });

  test.each([
    ['fits no schema', { customer: '{{ run.step }}', key: 'k' }, 'INVALID_TOOL_ARGUMENTS'],
    ['can not be filled', { customer: '{{ state.customer.id }}', key: 'k' }, 'EXPRESSION_FAILED'],
  ])(
    'a fixed argument that %s fails the node, not the model, and the model is not asked again',
    (_what, args, code) => {
      const played = playOrders([{ tool: 'orders', args }], [asks(['orders', {}])]);
      expect(played.run.run).toMatchObject({ status: 'failed', error: { code, node: 'a' } });
      expect(argsOf(played)).toEqual([]);
    },
  );

  test('a retry after an edit fills a fixed argument again and continues the same calls', () => {
    const tools = [{ tool: 'orders', args: { customer: '{{ state.customer.id }}' } }];
    const replies = [asks(['orders', { key: 'k' }]), 'done'];
    const played = playOrders(tools, replies, {}, { onError: 'intervene' });
    played.run.signal('edit', { values: { customer: { id: 'C-7' } }, by: UMA });
    played.run.signal('retry', { by: UMA });
    expect(argsOf(played)).toMatchObject([{ customer: 'C-7', key: 'k' }]);
    expect(played.requests).toHaveLength(2);
  });

  test('a fallback of a tool gets the fixed arguments, too', () => {
    const played = playAgent(
      {},
      {
        replies: [asks(['orders', { key: 'k' }]), 'done'],
        tools: { orders: { ...orders, onFailure: 'archive' }, archive: orders },
        tool: ({ tool }) => {
          if (tool === 'orders') throw new CallFailure('TOOL_FAILED', 'down');
          return 'found';
        },
        graph: { channels, nodes: { a: { type: 'agent', prompt: 'Hello', tools: [MINE] } } },
      },
    );
    expect(played.calls.at(-1)).toMatchObject({ tool: 'archive', args: { customer: 'C-1', key: 'k' } });
  });
});

describe('an approval of a call with fixed arguments', () => {
  const asked = (entry: Partial<ToolEntry> = {}): Played =>
    playOrders([{ ...MINE, as: 'mine' }], [asks(['mine', { key: 'k' }]), 'done'], { approval: 'always', ...entry });

  test('an approval of a call shows its fixed arguments, which are part of its digest', () => {
    const [approval] = approvalsOf(asked());
    expect(approval).toMatchObject({
      title: 'Call orders',
      tool: 'orders',
      details: { tool: 'orders', as: 'mine', fixed: ['customer'] },
      args: { customer: 'C-1', key: 'k', limit: 5 },
      fixedArgs: ['customer'],
    });
    expect(approval?.digest).toBe(approval && approvalDigest(approval));
  });

  test.each<[string, Json]>([
    ['changes a fixed argument', { customer: 'C-2', key: 'k' }],
    ['leaves out a fixed argument', { key: 'k' }],
    ['is no object', 'C-2'],
  ])('a decision that %s is refused', (_what, args) => {
    const played = asked({ parameters: true });
    decideLast(played.run, 'approve', { by: ADA, args });
    expect(approvalsOf(played)).toMatchObject([{ status: 'pending' }]);
    expect(played.run.events.at(-1)).toMatchObject({ type: 'signal.ignored' });
    expect(argsOf(played)).toEqual([]);
  });

  test('a decision may change the other arguments, and the model is told of these only', () => {
    const played = asked();
    decideLast(played.run, 'approve', { by: ADA, args: { customer: 'C-1', key: 'other', limit: 5 } });
    expect(argsOf(played)).toEqual([{ customer: 'C-1', key: 'other', limit: 5 }]);
    expect(toolResultsIn(played)).toEqual(['other\n(A person changed the arguments to {"key":"other","limit":5})']);
  });

  test.each([
    ['of the tool', { approval: { when: 'args.customer == "C-1"' } }, {}],
    ['of the node', {}, { mine: 'args.customer == state.customer' }],
  ])('a condition %s reads fixed arguments', (_what, entry, approve) => {
    const agent = { type: 'agent', prompt: 'Hello', tools: [{ ...MINE, as: 'mine' }], approve } as const;
    const played = playAgent(
      {},
      {
        replies: [asks(['mine', { key: 'k' }])],
        tools: { orders: { ...orders, ...entry } },
        graph: { channels, nodes: { a: agent } },
      },
    );
    expect(approvalsOf(played)).toMatchObject([{ args: { customer: 'C-1' } }]);
  });

  test('an edit of the state withdraws an approval whose fixed arguments change, and no other', () => {
    const tools = [
      { ...MINE, as: 'mine' },
      { tool: 'orders', as: 'hers', args: { customer: 'C-5' } },
    ];
    const replies = [asks(['mine', { key: 'a' }], ['hers', { key: 'b' }]), 'done'];
    const played = playOrders(tools, replies, { approval: 'always' });
    played.run.signal('edit', { values: { customer: 'C-2' }, by: UMA });
    expect(approvalsOf(played).map(({ status, args }) => [status, args])).toMatchObject([
      ['canceled', { customer: 'C-1', key: 'a' }],
      ['pending', { customer: 'C-5', key: 'b' }],
      ['pending', { customer: 'C-2', key: 'a' }],
    ]);
    played.run.signal('approve', { approvalId: 'run-1.a1', by: ADA });
    played.run.signal('approve', { approvalId: 'run-1.a2', by: ADA });
    played.run.signal('approve', { approvalId: 'run-1.a3', by: ADA });
    expect(argsOf(played)).toMatchObject([{ customer: 'C-5' }, { customer: 'C-2' }]);
    expect(played.run.run).toMatchObject({ status: 'completed', timers: {} });
  });
});

test('a graph as a tool gets fixed values of its input channels', () => {
  const graph = aRefund({
    channels: {
      order: { schema: { type: 'string' } },
      owner: { schema: { type: 'string' } },
      log: { reducer: 'append' },
    },
    input: ['order', 'owner'],
    nodes: { pay: { type: 'set', write: { log: '{{ state.owner + "/" + state.order }}' } } },
  });
  const tools = [{ graph: 'refund@1', as: 'refund', args: { owner: 'C-{{ run.visit }}' } }];
  const replies = [asks(['refund', { order: 'o1' }], ['refund', { order: 'o2', owner: 'C-9' }]), 'done'];
  const played = playGraphs({ graphs: [graph], replies, agent: { tools } });
  expect(toolResultsIn(played)).toEqual([
    '{"log":["C-1/o1"]}',
    'Execution failed: refund takes no argument "owner" here; call it without',
  ]);
  expect(played.requests[0]?.offers?.['refund']?.parameters).toMatchObject({ required: ['order'] });
});
