import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { toRunView } from '../../../src/graph/journal/run-view.ts';
import type { CallEffect, ToolCallRequest } from '../../../src/graph/run/effect.ts';
import { asks, play, playAgent, toolResultsIn } from '../../support/builders/agents.ts';
import type { Agent, Played, Stage } from '../../support/builders/agents.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { PAY, aRefund, playGraphs } from '../../support/builders/graph-tools.ts';
import { undoEventsOf } from '../../support/builders/undoing.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

const by = { sub: 'ada', roles: ['approver'] };
const no = new CallFailure('TOOL_FAILED', 'no');
const lost = new CallFailure('UNKNOWN_OUTCOME', 'Nobody knows');
const canceled = new CallFailure('CANCELED', 'The call was canceled, and may have been made', false);
const givenUp = { code: 'TOOL_FAILED', message: 'no (given up by ada)', node: 'a' };
const UNDONE: NodeDefinition = { ...PAY, compensate: { tool: 'lookup', args: { key: 'back' } } };
const UNSAFE: NodeDefinition = { ...PAY, tool: 'notify' };

const waitingOf = ({ run }: Played): readonly string[] => toRunView(run.run).waitingFor.map(({ id }) => id ?? '');
const typesOf = ({ run }: Played, node: string): readonly string[] =>
  run.events.flatMap((event) => ('node' in event && event.node === node ? [event.type] : []));

interface Giving {
  /** The node inside the graph, whose call is open when the agent is given up. */
  readonly pay: NodeDefinition;
  /** The outcome of that call. */
  readonly outcome: CallFailure | string;
  readonly agent?: Agent;
  readonly stage?: Partial<Stage>;
}

/** The agent's own call waits for a person, who gives it up. The call in its graph returns when it is released. */
function giveUp({ pay, outcome, agent = {}, stage = {} }: Giving): Played & { readonly letIn: () => void } {
  let isIn = false;
  let outcomes = 1;
  let failures = 1;
  const tool = ({ tool: name, args }: ToolCallRequest): string => {
    if (JSON.stringify(args).includes('risky') && failures-- > 0) throw no;
    if (JSON.stringify(args).includes('o1') && outcomes-- > 0 && outcome instanceof CallFailure) throw outcome;
    return name;
  };
  const next = (calls: readonly CallEffect[]): number | null => {
    const at = calls.findIndex(({ node }) => node === 'a');
    return isIn ? 0 : at === -1 ? null : at;
  };
  const played = playGraphs({
    graphs: [aRefund({ nodes: { pay } })],
    agent: { tools: ['lookup', { graph: 'refund@1' }], ...agent },
    tools: { lookup: { onFailure: 'intervene' } },
    replies: [asks(['lookup', { key: 'risky' }], ['refund', { order: 'o1' }]), 'done'],
    tool,
    outside: { next },
    ...stage,
  });
  expect(waitingOf(played)).toEqual(['a:1:1']);
  played.run.signal('fail', { by });
  return {
    ...played,
    letIn: () => {
      isIn = true;
      played.run.signal('event', { event: 'look' });
    },
  };
}

describe('an agent that is given up while its graphs have open calls', () => {
  test('an agent whose failure a person confirms while its graph tools have open calls cancels the calls, and fails after they have returned', () => {
    const played = giveUp({ pay: PAY, outcome: 'paid' });
    const { run } = played;
    expect(run.events.findLast(({ type }) => type === 'node.failed')).toMatchObject({
      node: 'a',
      error: givenUp,
      by: 'ada',
    });
    expect([run.run.status, run.out.map(({ node }) => node), waitingOf(played)]).toEqual(['running', ['pay'], []]);
    run.signal('fail', { by });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored' });
    played.letIn();
    expect(run.run).toMatchObject({ status: 'failed', error: givenUp });
    expect(typesOf(played, 'pay')).toEqual(['node.started', 'tool.requested', 'tool.called', 'node.failed']);
    expect(typesOf(played, 'a').filter((type) => type === 'node.failed')).toHaveLength(1);
  });

  test('an agent that is given up while its graph tools have open calls has failed, whatever its onError is', () => {
    const played = giveUp({ pay: PAY, outcome: 'paid', agent: { onError: 'intervene' } });
    played.letIn();
    expect(played.run.run).toMatchObject({ status: 'failed', error: givenUp });
  });

  test('an agent that was given up during open calls continues inside the graphs on a retry, and the given-up call waits for a person again', () => {
    const played = giveUp({ pay: PAY, outcome: 'paid' });
    played.letIn();
    played.run.reopen('retry', { by });
    expect([played.run.run.status, waitingOf(played)]).toEqual(['waiting', ['a:1:1']]);
    played.run.signal('retry', { by });
    expect([played.run.run.status, toolResultsIn(played)]).toEqual(['completed', ['lookup', '{"log":["charge"]}']]);
    expect(new Set(played.keys.filter((key) => key.includes('/pay:'))).size).toBe(1);
  });

  test('an agent that is given up has the calls of its graph tools compensated', () => {
    const played = giveUp({ pay: UNDONE, outcome: 'paid' });
    played.letIn();
    expect([played.run.run.status, undoEventsOf(played.run)]).toEqual([
      'failed',
      ['compensation.requested pay', 'node.compensated pay'],
    ]);
  });

  test("a possibly executed call of a given-up agent's graph tool is listed in the error of the run", () => {
    const played = giveUp({ pay: UNDONE, outcome: canceled });
    played.letIn();
    const message = 'Not compensated: a/refund[2]/pay: the call of charge may have been made';
    expect(played.run.run.error).toMatchObject({ ...givenUp, cause: { code: 'UNKNOWN_OUTCOME', message } });
  });

  describe.each([
    ['lost', lost],
    ['canceled', canceled],
  ])('when one of the calls of the agent is %s, so its outcome is unknown', (_what, outcome) => {
    const giveUpUnknown = (): Played => {
      const played = giveUp({ pay: UNSAFE, outcome });
      played.letIn();
      return played;
    };
    const notified = ({ calls }: Played): number => calls.filter(({ tool }) => tool === 'notify').length;

    test('a given-up agent with a call of unknown outcome waits for a person, and on a retry the call waits for a person before it is repeated', () => {
      const played = giveUpUnknown();
      expect([played.run.run.status, waitingOf(played)]).toEqual(['waiting', ['a:1']]);
      played.run.signal('retry', { by });
      expect([waitingOf(played), notified(played)]).toEqual([['a:1:1', 'a.1.0/refund#2.1.0/pay:1'], 1]);
      played.run.signal('skip', { id: 'a.1.0/refund#2.1.0/pay:1', output: 'by hand', by });
      played.run.signal('retry', { id: 'a:1:1', by });
      expect([played.run.run.status, toolResultsIn(played), notified(played)]).toEqual([
        'completed',
        ['lookup', '{"log":["by hand"]}'],
        1,
      ]);
    });

    test('an agent with a call of unknown outcome has failed when it is given up again, and on a retry the call waits for a person, too', () => {
      const played = giveUpUnknown();
      played.run.signal('fail', { by });
      expect(played.run.run.status).toBe('failed');
      played.run.reopen('retry', { by });
      expect([waitingOf(played), notified(played)]).toEqual([['a:1:1', 'a.1.0/refund#2.1.0/pay:1'], 1]);
    });
  });

  test("a run that is canceled after its agent was given up compensates the calls of the agent's graph tools", () => {
    const played = giveUp({ pay: UNDONE, outcome: 'paid' });
    played.run.signal('cancel', { by });
    played.letIn();
    expect([played.run.run.status, undoEventsOf(played.run)]).toEqual([
      'canceled',
      ['compensation.requested pay', 'node.compensated pay'],
    ]);
  });
});

test('a call of unknown outcome that a person fails is failed for good, even if a graph tool has an open call', () => {
  const played = giveUp({
    pay: PAY,
    outcome: 'paid',
    stage: {
      tool: ({ tool }) => {
        if (tool === 'lookup') throw lost;
        return 'paid';
      },
    },
  });
  played.letIn();
  expect(played.run.run).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_OUTCOME', node: 'a' } });
});

describe('a possibly executed call of an agent', () => {
  const slow = new CallFailure('TIMEOUT', 'no answer', false);
  const playPerhaps = (onFailure: 'tell' | 'intervene'): Played =>
    playAgent(
      {},
      {
        replies: [asks(['lookup', { key: 'k' }], ['charge', { key: 'k' }]), 'done'],
        tools: { lookup: { onFailure: 'intervene' }, charge: { onFailure } },
        tool: ({ tool }) => {
          throw tool === 'lookup' ? no : slow;
        },
      },
    );
  const cause = {
    code: 'UNKNOWN_OUTCOME',
    message: 'Not compensated: a: the call of charge may have been made',
  };

  test.each(['tell', 'intervene'] as const)(
    'a possibly executed call of an agent stays listed if another call of the agent is given up: %s',
    (onFailure) => {
      const { run } = playPerhaps(onFailure);
      run.signal('fail', { id: 'a:1:1', by });
      expect(run.run).toMatchObject({ status: 'failed', error: { ...givenUp, cause } });
    },
  );

  test('a possibly executed call of an agent is no longer listed after it is given up itself', () => {
    const { run } = playPerhaps('intervene');
    run.signal('fail', { id: 'a:1:2', by });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    expect(run.run.error?.cause).toBeUndefined();
  });
});

describe('an agent that is given up during another call, which is then lost', () => {
  const agent: NodeDefinition = { type: 'agent', prompt: 'Hello', tools: ['lookup', 'notify'] };
  function giveUpBoth(nodes: GraphDefinition['nodes']): Played {
    const held = { isIn: false };
    const played = play({
      graph: { nodes, edges: [{ from: '__start__', to: Object.keys(nodes)[0] ?? '' }] },
      tools: { lookup: { onFailure: 'intervene' }, notify: { approval: 'never' } },
      replies: [asks(['lookup', { key: 'k' }], ['notify', { key: 'k' }]), 'done'],
      tool: ({ tool }) => {
        throw tool === 'lookup' ? no : lost;
      },
      outside: {
        next: ([first]) => (held.isIn || first?.request.kind === 'model' || first?.key.includes(':1:1:') ? 0 : null),
      },
    });
    played.run.signal('fail', { by });
    held.isIn = true;
    played.run.signal('event', { event: 'look' });
    return played;
  }

  test('an agent that is given up during a call that is then lost is named for the lost call, and on a retry the call waits for a person', () => {
    const played = giveUpBoth({ a: agent });
    const cause = { code: 'UNKNOWN_OUTCOME', message: 'Not compensated: a: the outcome of the call is unknown' };
    expect(played.run.run).toMatchObject({ status: 'failed', error: { ...givenUp, cause } });
    played.run.reopen('retry', { id: 'a:1', by });
    expect([waitingOf(played), played.calls.length]).toEqual([['a:1:1', 'a:1:2'], 2]);
  });

  test('an agent that is given up during a call that is then lost waits for a person, even if the node around it has an onError', () => {
    const graph = aDefinition({ name: 'inside', nodes: { a: agent } });
    const played = giveUpBoth({ sub: { type: 'subgraph', graph, onError: { to: 'z' } }, z: { type: 'set' } });
    expect([played.run.run.status, waitingOf(played)]).toEqual(['waiting', ['sub:1']]);
  });
});
