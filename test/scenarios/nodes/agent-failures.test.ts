import { describe, expect, test } from 'vitest';
import type { ToolEntry } from '../../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { toRunView } from '../../../src/graph/journal/run-view.ts';
import type { CallEffect, ToolCallRequest } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { asks, play, playAgent, toolResultsIn } from '../../support/builders/agents.ts';
import type { Agent, Played, Stage } from '../../support/builders/agents.ts';
import { logOf } from '../../support/builders/runs.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

const by = { sub: 'ada', roles: ['approver'] };
const look = (key: string): readonly [string, Json] => ['lookup', { key }];
const no = new CallFailure('TOOL_FAILED', 'no');
const lost = new CallFailure('UNKNOWN_OUTCOME', 'Nobody knows');

/** Makes the tools of these names fail a number of times. */
function failing(
  names: readonly string[],
  error: CallFailure,
  times = Number.POSITIVE_INFINITY,
): NonNullable<Stage['tool']> {
  let left = times;
  return ({ tool, args }: ToolCallRequest): Json => {
    if (names.includes(tool) && left-- > 0) throw error;
    return `${tool} ${JSON.stringify(args)}`;
  };
}

const waitingOf = ({ run }: Played): readonly string[] =>
  toRunView(run.run).waitingFor.map(({ kind, id }) => `${kind} ${id}`);

describe('a failed call of an agent', () => {
  const playFailing = (tools: Record<string, Partial<ToolEntry>>, over: Partial<Stage> = {}): Played =>
    playAgent(
      { tools: ['lookup'] },
      { replies: [asks(look('a')), 'done'], tools, tool: failing(['lookup'], no), ...over },
    );

  test('a failed call of an agent is redirected to the named tool under another key', () => {
    const played = playFailing({ lookup: { onFailure: 'charge' } });
    expect(toolResultsIn(played)).toEqual(['charge {"key":"a"}']);
    expect(played.keys).toEqual(['run-1:a:1:0:0', 'run-1:a:1:1:0', 'run-1:a:1:2:0', 'run-1:a:1:3:0']);
    expect(played.requests[1]?.messages.at(-1)).toMatchObject({ name: 'lookup', toolCallId: 'c0' });
  });

  test('a failed call of an agent is redirected from tool to tool, and reported when the last has failed', () => {
    const tools = { lookup: { onFailure: 'charge' }, charge: { onFailure: 'third' }, third: {} };
    const played = playFailing(tools, { tool: failing(['lookup', 'charge', 'third'], no) });
    expect(played.calls.map(({ tool }) => tool)).toEqual(['lookup', 'charge', 'third']);
    expect(toolResultsIn(played)).toEqual(['Execution failed: no']);
  });

  test.each([
    [{ lookup: { onFailure: 'lookup' } }, 1],
    [{ lookup: { onFailure: 'charge' }, charge: { onFailure: 'lookup' } }, 2],
    [{ lookup: { onFailure: 'charge' }, charge: { onFailure: 'third' }, third: { onFailure: 'charge' } }, 3],
    [{ lookup: { onFailure: 'nowhere' } }, 1],
  ])('a failed call of an agent is not redirected in a circle: %j', (tools, count) => {
    const played = playFailing(tools, { tool: failing(['lookup', 'charge', 'third'], no) });
    expect([played.calls.length, toolResultsIn(played)]).toEqual([count, ['Execution failed: no']]);
  });

  test('a redirected call of an agent reports arguments that the other tool does not accept', () => {
    const parameters = { type: 'object', required: ['order'] };
    const played = playFailing({ lookup: { onFailure: 'charge' }, charge: { parameters } });
    expect(toolResultsIn(played)).toEqual([
      expect.stringContaining('The arguments of charge break its parameters at /'),
    ]);
    expect(played.calls).toHaveLength(1);
  });

  test('a redirected call of an agent reports that the run may not call the other tool', () => {
    const played = playFailing({ lookup: { onFailure: 'charge' }, charge: { roles: ['boss'] } });
    expect(toolResultsIn(played)).toEqual(['Execution failed: charge may be called by runs of boss only']);
  });

  test('a redirected call of an agent waits for the approval that the other tool needs', () => {
    const played = playFailing({ lookup: { onFailure: 'notify' } });
    expect(waitingOf(played)).toEqual(['approval run-1.a1']);
    played.run.signal('approve', { by });
    expect(toolResultsIn(played)).toEqual(['notify {"key":"a"}']);
  });

  describe('a redirected call whose approval rule can not be evaluated', () => {
    const unclear = { lookup: { onFailure: 'third' }, third: { approval: { when: 'args.nope' } } };

    /** The call of `charge` is open until it is released. */
    function playHeld(agent: Agent, graph: Partial<GraphDefinition> = {}): Played & { letGo(): void } {
      let isHeld = true;
      const next = (out: readonly CallEffect[]): number | null => {
        const at = out.findIndex(({ request }) => request.kind !== 'tool' || request.tool !== 'charge');
        return at >= 0 || isHeld ? (at < 0 ? null : at) : 0;
      };
      const replies = [asks(look('a'), ['charge', { key: 'b' }]), 'done'];
      const played = playAgent(agent, {
        replies,
        tools: unclear,
        tool: failing(['lookup'], no),
        outside: { next },
        graph,
      });
      return {
        ...played,
        letGo() {
          isHeld = false;
          played.run.signal('pause', {});
          played.run.signal('resume', {});
        },
      };
    }

    test('a redirected call whose approval rule can not be evaluated fails the agent once no other call is open, and the failed call is not repeated', () => {
      const played = playHeld({ onError: 'intervene' });
      expect(waitingOf(played)).toEqual([]);
      played.run.signal('retry', { by });
      expect(played.run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_allowed_now' });
      played.letGo();
      expect(waitingOf(played)).toEqual(['intervention a:1']);
      played.run.signal('retry', { by });
      expect(played.calls.map(({ tool }) => tool)).toEqual(['lookup', 'charge']);
      expect(waitingOf(played)).toEqual(['intervention a:1']);
    });

    test('a redirected call whose approval rule can not be evaluated lets the run follow onError once no other call is open', () => {
      const nodes: GraphDefinition['nodes'] = {
        a: { type: 'agent', prompt: 'x', tools: ['lookup', 'charge'], onError: { to: 'b' } },
        b: { type: 'set', write: { log: 'b' } },
      };
      const played = playHeld({}, { nodes, edges: [{ from: '__start__', to: 'a' }] });
      expect([played.run.run.status, played.run.out.length]).toEqual(['running', 1]);
      played.letGo();
      expect([played.run.run.status, logOf(played.run), played.calls.length]).toEqual(['completed', ['b'], 2]);
    });
  });

  test('a failed call fails the agent if the approval rule of the other tool can not be evaluated', () => {
    const { run } = playFailing({ lookup: { onFailure: 'charge' }, charge: { approval: { when: 'args.nope' } } });
    expect(run.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a' });
  });
});

describe('a call that waits for a person', () => {
  const intervene = { lookup: { onFailure: 'intervene' } };
  const playWaiting = (over: Partial<Stage> = {}): Played =>
    playAgent(
      {},
      {
        replies: [asks(look('a'), ['charge', { key: 'b' }]), 'done'],
        tools: intervene,
        tool: failing(['lookup'], no, 1),
        ...over,
      },
    );

  test('a call of an agent that waits for a person delays no other call, and the intervention names it', () => {
    const played = playWaiting();
    expect(played.calls).toHaveLength(2);
    expect(waitingOf(played)).toEqual(['intervention a:1:1']);
  });

  test('a call of an agent that waits for a person is repeated under a new key if it is known to have failed', () => {
    const played = playWaiting();
    played.run.signal('retry', { id: 'a:1:1', by });
    expect(toolResultsIn(played)).toEqual(['lookup {"key":"a"}', 'charge {"key":"b"}']);
    expect(played.keys.slice(1, 4)).toEqual(['run-1:a:1:1:0', 'run-1:a:1:2:0', 'run-1:a:1:3:0']);
  });

  test('a call of an agent that waits for a person is repeated under the same key with a higher takeover number if its outcome is unknown', () => {
    const held: { orders: (readonly [string, number])[] } = { orders: [] };
    const played = playWaiting({
      tools: {},
      tool: failing(['lookup'], lost, 1),
      outside: {
        next: (calls) => {
          held.orders.push(...calls.slice(0, 1).map(({ key, takeover }) => [key, takeover] as const));
          return 0;
        },
      },
    });
    expect(waitingOf(played)).toEqual(['intervention a:1:1']);
    played.run.signal('retry', { by });
    expect(held.orders.filter(([key]) => key === 'run-1:a:1:1:0').map(([, order]) => order)).toEqual([0, 1]);
    expect(played.run.run.status).toBe('completed');
  });

  test.each<[Json, string]>([
    [{ ok: true }, '{"ok":true}'],
    [null, 'Success'],
  ])(
    'a call of an agent that waits for a person may be skipped with the output %j, which is reported to the model as %j',
    (output, answer) => {
      const played = playWaiting();
      played.run.signal('skip', { id: 'a:1:1', output, by });
      expect(toolResultsIn(played)[0]).toBe(answer);
      const skipped = played.run.events.filter(({ type }) => type === 'tool.skipped');
      expect(skipped).toMatchObject([{ tool: 'lookup', result: output, by: 'ada' }]);
    },
  );

  test('a call of an agent that waits for a person may be given up together with its agent', () => {
    const { run } = playWaiting();
    run.signal('fail', { id: 'a:1:1', reason: 'enough', by });
    const error = { code: 'TOOL_FAILED', message: 'no (given up by ada: enough)', node: 'a', step: 0, attempts: 1 };
    expect(run.run).toMatchObject({ status: 'failed', error });
    expect(run.events.filter(({ type }) => type === 'node.failed')).toMatchObject([{ error, node: 'a' }]);
  });

  test('a call of an agent that waits for a person waits again when its agent is retried, and no other call is repeated', () => {
    const played = playWaiting();
    played.run.signal('fail', { by });
    played.run.reopen('retry');
    expect([waitingOf(played), played.calls.length]).toEqual([['intervention a:1:1'], 2]);
    played.run.signal('skip', { output: 'x', by });
    expect(toolResultsIn(played)).toEqual(['x', 'charge {"key":"b"}']);
  });

  test('one of several calls of an agent that wait for a person must be named', () => {
    const played = playAgent(
      {},
      { replies: [asks(look('a'), look('b')), 'done'], tools: intervene, tool: failing(['lookup'], no, 2) },
    );
    played.run.signal('retry', { node: 'a', by });
    expect(played.run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'intervention_id_required' });
    played.run.signal('skip', { id: 'a:1:2', output: 'x', by });
    played.run.signal('retry', { id: 'a:1:1', by });
    expect(toolResultsIn(played)).toEqual(['lookup {"key":"a"}', 'x']);
  });

  test('a call of an agent that a person retries is not made while the run is paused', () => {
    const played = playWaiting();
    played.run.signal('pause', {});
    played.run.signal('retry', { by });
    expect([played.run.run.status, played.calls.length]).toEqual(['paused', 2]);
    played.run.signal('resume', {});
    expect([played.run.run.status, played.calls.length]).toEqual(['completed', 3]);
  });
});

describe('a call that waits in a run that another node has failed', () => {
  function playBoth(): Played {
    const node = { type: 'agent', prompt: 'x', tools: ['lookup', 'charge'], write: {} } as const;
    const played = play({
      replies: [asks(look('a'), ['charge', { key: 'b' }]), 'done'],
      tool: failing(['lookup'], lost, 1),
      graph: {
        nodes: { a: node, z: { type: 'wait', event: 'go' } },
        edges: [{ from: '__start__', to: ['a', 'z'] }],
        limits: { deadline: '1m' },
      },
    });
    played.run.passTime(61_000);
    return played;
  }

  test('a waiting call of an agent in a run that another node has failed is repeated once if it is named', () => {
    const played = playBoth();
    expect(played.run.run).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    played.run.reopen('retry', { id: 'a:1:1', by });
    expect(played.calls.map(({ tool }) => tool)).toEqual(['lookup', 'charge', 'lookup']);
    expect(toolResultsIn(played)).toEqual(['lookup {"key":"a"}', 'charge {"key":"b"}']);
  });

  test('a waiting call of an agent in a run that another node has failed is skipped if it is named', () => {
    const played = playBoth();
    played.run.reopen('skip', { id: 'a:1:1', output: 'x', by });
    expect([played.calls.length, played.requests.length, toolResultsIn(played)]).toEqual([
      2,
      2,
      ['x', 'charge {"key":"b"}'],
    ]);
  });

  test('a waiting call of an agent in a run that another node has failed keeps waiting if it is not named', () => {
    const played = playBoth();
    played.run.reopen('retry', { by });
    expect(waitingOf(played)).toEqual(['intervention a:1:1', 'event go']);
    expect(played.calls).toHaveLength(2);
  });
});
