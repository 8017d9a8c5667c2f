import { describe, expect, test } from 'vitest';
import type { ToolEntry } from '../../src/graph/definition/catalog.ts';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { asks, play, playAgent, says } from '../support/builders/agents.ts';
import type { Played } from '../support/builders/agents.ts';
import { decideLast } from '../support/builders/runs.ts';

const UMA = { sub: 'uma', roles: ['user'] };
const ADA = { sub: 'ada', roles: ['approver'] };
const BOB = { sub: 'bob', roles: ['approver'] };

type Pay = Partial<NodeDefinition & { readonly type: 'tool' }>;

/** A run whose tool node waits for the approval of its tool. */
function paying(tool: Partial<ToolEntry> = {}, over: Pay = {}): Played {
  const pay = { type: 'tool', tool: 'notify', args: { amount: '{{ state.amount }}' }, write: 'out' } as const;
  return play({
    replies: [],
    tools: { notify: { approval: 'always', parameters: { type: 'object' }, ...tool } },
    graph: {
      channels: { amount: { default: 500 }, note: {}, out: {}, log: { reducer: 'append' } },
      nodes: { pay: Object.assign({}, pay, over) },
    },
  });
}

const edit = ({ run }: Played, values: JsonObject): void => run.signal('edit', { values, by: UMA });
const argsOf = ({ calls }: Played) => calls.map(({ args }) => args);
const statusesOf = ({ run }: Played) => Object.values(run.run.approvals).map(({ status, args }) => [status, args]);

describe('an edit of the arguments of a tool node', () => {
  test('an edit of the arguments of a tool node withdraws the approval of its tool and requests it again', () => {
    const played = paying();
    const { run } = played;
    const { digest = '' } = run.run.approvals['run-1.a1'] ?? {};
    edit(played, { amount: 50 });
    expect(statusesOf(played)).toEqual([
      ['canceled', { amount: 500 }],
      ['pending', { amount: 50 }],
    ]);
    run.signal('approve', { approvalId: 'run-1.a1', by: ADA });
    decideLast(run, 'approve', { by: ADA, digest });
    expect([argsOf(played), Object.keys(run.run.timers)]).toEqual([[], [expect.stringContaining('run-1.a2')]]);
    decideLast(run, 'approve', { by: ADA });
    expect(run.run).toMatchObject({ status: 'completed', timers: {} });
    expect(played.calls).toMatchObject([{ args: { amount: 50 }, isApproved: true }]);
  });

  test('an edit of the arguments of a tool node voids the decisions so far', () => {
    const played = paying({ approval: { policy: { quorum: 2 } } });
    decideLast(played.run, 'approve', { by: ADA });
    edit(played, { amount: 50 });
    decideLast(played.run, 'approve', { by: BOB });
    expect(argsOf(played)).toEqual([]);
    decideLast(played.run, 'approve', { by: ADA });
    expect(argsOf(played)).toEqual([{ amount: 50 }]);
  });

  test('an edit of the arguments of a tool node renews the approval at once in a paused run, and so does a resume with values', () => {
    const played = paying();
    played.run.signal('pause', { by: UMA });
    edit(played, { amount: 50 });
    played.run.signal('resume', { values: { amount: 40 }, by: UMA });
    expect(statusesOf(played).map(([status]) => status)).toEqual(['canceled', 'canceled', 'pending']);
    decideLast(played.run, 'approve', { by: ADA });
    expect(argsOf(played)).toEqual([{ amount: 40 }]);
  });

  test('an edit of the arguments of a tool node makes the call if the tool does not need an approval any more', () => {
    const played = paying({ approval: { when: 'args.amount > 100' } });
    edit(played, { amount: 50 });
    expect(statusesOf(played)).toEqual([['canceled', { amount: 500 }]]);
    expect(played.calls).toMatchObject([{ args: { amount: 50 } }]);
    expect(played.calls[0]).not.toHaveProperty('isApproved');
    expect(played.run.run).toMatchObject({ status: 'completed', timers: {} });
  });

  test('an edit evaluates the approval rule again for a call that a paused run has not made yet', () => {
    const played = paying({ approval: { when: 'args.amount > 100' } });
    played.run.signal('pause', { by: UMA });
    edit(played, { amount: 50 });
    expect(argsOf(played)).toEqual([]);
    edit(played, { amount: 700 });
    played.run.signal('resume', { by: UMA });
    expect(argsOf(played)).toEqual([]);
    expect(statusesOf(played).at(-1)).toEqual(['pending', { amount: 700 }]);
    played.run.signal('pause', { by: UMA });
    decideLast(played.run, 'approve', { by: ADA });
    edit(played, { amount: 900 });
    played.run.signal('resume', { by: UMA });
    expect(argsOf(played)).toEqual([{ amount: 700 }]);
  });

  test('an edit of the arguments of a tool node requests no approval in a run that has ended', () => {
    const played = paying({ approval: { when: 'args.amount > 100' } });
    played.run.signal('pause', { by: UMA });
    edit(played, { amount: 50 });
    played.run.signal('cancel', { by: UMA });
    played.run.reopen('edit', { values: { amount: 700 }, by: UMA });
    expect(played.run.run).toMatchObject({ status: 'canceled', timers: {} });
    expect(statusesOf(played)).toEqual([['canceled', { amount: 500 }]]);
  });

  test.each<[string, Partial<ToolEntry>, Pay, JsonObject, string]>([
    ['cannot be filled', {}, { args: { part: '{{ 100 / state.amount }}' } }, { amount: 0 }, 'EXPRESSION_FAILED'],
    [
      'do not match the parameters',
      { parameters: { type: 'object', properties: { amount: { type: 'number' } } } },
      {},
      { amount: 'all' },
      'INVALID_TOOL_ARGUMENTS',
    ],
    [
      'cannot be judged by the approval rule',
      { approval: { when: 'args.amount > 100' } },
      {},
      { amount: 'all' },
      'EXPRESSION_FAILED',
    ],
  ])("an edit of a tool node's arguments fails the node if these %s any more", (...[, tool, over, values, code]) => {
    const played = paying(tool, over);
    edit(played, values);
    expect(played.run.run).toMatchObject({ status: 'failed', phase: { error: { code, node: 'pay' } }, timers: {} });
    expect(statusesOf(played)).toMatchObject([['canceled', {}]]);
    expect(argsOf(played)).toEqual([]);
  });
});

describe('the approval of a tool stays unchanged', () => {
  test('the approval of a tool stays unchanged after an edit of other state, with its decisions and edited arguments', () => {
    const played = paying({ approval: { policy: { quorum: 2 } } });
    decideLast(played.run, 'approve', { by: ADA, args: { amount: 30 } });
    edit(played, { note: 'seen' });
    edit(played, { amount: 500 });
    decideLast(played.run, 'approve', { by: BOB });
    expect(argsOf(played)).toEqual([{ amount: 30 }]);
  });

  test('the approval of a tool stays unchanged by an edit if a model has given the arguments', () => {
    const played = playAgent(
      { tools: ['notify'] },
      { replies: [asks(['notify', { key: 'x' }]), says('done')], tools: { notify: { approval: 'always' } } },
    );
    edit(played, { n: 2 });
    expect(statusesOf(played)).toEqual([['pending', { key: 'x' }]]);
  });
});

test('a call that was delayed by a pause and fails lets the next element of the list begin', () => {
  const played = play({
    replies: [],
    tools: { notify: { approval: { when: 'size(args.text) < 9' }, parameters: { type: 'object' } } },
    graph: {
      channels: { text: { default: 'x' }, log: { reducer: 'append' } },
      nodes: {
        pay: { type: 'tool', tool: 'notify', args: { text: '{{ state.text }}' }, onError: { to: 'b' } },
        b: { type: 'set', write: { log: 'b' } },
      },
      edges: [{ from: '__start__', forEach: '[1, 2]', to: 'pay', maxConcurrency: 1 }],
    },
  });
  played.run.signal('pause', { by: UMA });
  edit(played, { text: 'x'.repeat(7_999_990) });
  played.run.signal('resume', { by: UMA });
  expect([played.run.run.status, played.run.steps]).toEqual(['completed', [['pay'], ['b']]]);
});
