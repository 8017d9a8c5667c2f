import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import type { ToolCallRequest } from '../../src/graph/run/effect.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { breaks, pays } from '../support/builders/undoing.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';

/** Returns the interventions in the view of a run. Calls with "lost" in their arguments have an unknown outcome. */
function interventionsOf(over: Partial<GraphDefinition>) {
  const tool = ({ args }: ToolCallRequest): Json => {
    if (JSON.stringify(args).includes('lost')) throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
    throw new CallFailure('TOOL_FAILED', 'broken');
  };
  const run = runInMemory({ definition: aDefinition(over), catalog: aCatalog(), input: {} }, { tool });
  return toRunView(run.run).waitingFor;
}

const calls = (key: string) => ({ type: 'tool', tool: 'notify', args: { key }, onError: 'intervene' }) as const;
const every = ['retry', 'skip', 'fail'].map((action) => ({ action, effect: expect.stringMatching(/\.$/) }));

describe('an intervention', () => {
  test('an intervention of a tool node contains the call, the reason, and the effect of each choice', () => {
    expect(interventionsOf({ nodes: { a: calls('lost') } })).toEqual([
      {
        kind: 'intervention',
        id: 'a:1',
        node: 'a',
        since: expect.any(String),
        tool: 'notify',
        args: { key: 'lost' },
        idempotencyKey: 'run-1:a:1:0:0',
        error: expect.objectContaining({ code: 'UNKNOWN_OUTCOME', node: 'a' }),
        choices: every,
      },
    ]);
  });

  test('an intervention reports that a retry of a call of unknown outcome may repeat its work', () => {
    const effectOfRetry = (key: string): string => {
      const [one] = interventionsOf({ nodes: { a: calls(key) } });
      return one?.kind === 'intervention' ? (one.choices[0]?.effect ?? '') : '';
    };
    expect(effectOfRetry('lost')).toContain('may have been made');
    expect(effectOfRetry('known')).not.toContain('may have been made');
  });

  test('an intervention of a list element contains the index of the element', () => {
    const found = interventionsOf({
      channels: { log: {}, items: { default: ['x', 'lost'] } },
      nodes: { each: calls('{{ item }}') },
      edges: [{ from: '__start__', forEach: 'state.items', to: 'each' }],
    });
    expect(found).toMatchObject([
      { index: 0, args: { key: 'x' }, error: { code: 'TOOL_FAILED' } },
      { index: 1, args: { key: 'lost' }, error: { code: 'UNKNOWN_OUTCOME' } },
    ]);
  });

  test('an intervention of a compensation contains the compensating call', () => {
    const tool = ({ args }: ToolCallRequest): Json => {
      const text = JSON.stringify(args);
      if (text.includes('back')) throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
      if (text.includes('break')) throw new CallFailure('TOOL_FAILED', 'broken');
      return { receipt: 'one' };
    };
    const definition = aDefinition({ nodes: { a: pays('one'), c: breaks } });
    const run = runInMemory({ definition, catalog: aCatalog(), input: {} }, { tool });
    expect(toRunView(run.run).waitingFor).toMatchObject([
      { id: 'a:1:undo', tool: 'notify', idempotencyKey: 'run-1:a:1:0:0:undo', error: { code: 'UNKNOWN_OUTCOME' } },
    ]);
  });

  test('an intervention of one of several calls contains that call', () => {
    const toolCalls = ['x', 'lost'].map((key) => ({ id: key, name: 'notify', args: { key } }));
    const chat = { reducer: 'messages', default: [{ id: 'm', role: 'assistant', content: '', toolCalls }] } as const;
    const graph = {
      channels: { log: {}, chat },
      nodes: { a: { type: 'tool', calls: 'chat', tools: ['notify'] } },
    } as const;
    const lose = (): never => {
      throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
    };
    const run = runInMemory({ definition: aDefinition(graph), catalog: aCatalog(), input: {} }, { tool: lose });
    const requested = run.events.flatMap((event) => (event.type === 'tool.requested' ? [event] : []));
    expect(requested).toHaveLength(2);
    expect(toRunView(run.run).waitingFor).toMatchObject(
      requested.map(({ tool, args, idempotencyKey }) => ({ kind: 'intervention', tool, args, idempotencyKey })),
    );
  });

  test('an intervention of a node without a call has no arguments', () => {
    const found = interventionsOf({
      nodes: { a: { type: 'set', write: { log: '{{ 1 / 0 }}' }, onError: 'intervene' } },
    });
    expect(found).toMatchObject([{ args: null, idempotencyKey: null, error: { code: 'EXPRESSION_FAILED' } }]);
    expect(found[0]).not.toHaveProperty('tool');
  });

  test('an intervention omits large arguments, which are in the history', () => {
    expect(interventionsOf({ nodes: { a: calls('x'.repeat(20_000)) } })).toMatchObject([
      { tool: 'notify', args: null },
    ]);
  });
});
