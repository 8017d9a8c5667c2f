import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { CallEffect } from '../../../src/graph/run/effect.ts';
import { CHANNELS, modelDown, play } from '../../support/builders/agents.ts';
import type { Played, Stage } from '../../support/builders/agents.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

/* Nodes that make several calls in sequence under one deadline of 10 s. */

const by = { sub: 'ada', roles: ['approver'] };
const declined = new CallFailure('TOOL_FAILED', 'declined');

/** An outside in which each call returns when it is released. */
function released() {
  let count = 0;
  return {
    next: (_out: readonly CallEffect[]): number | null => (count-- > 0 ? 0 : null),
    release: (): void => void (count = 1),
  };
}

interface Slow extends Played {
  /** Lets the first open call return after some time. */
  readonly after: (ms: number) => void;
  /** The rest of the deadline for each call, in seconds. */
  readonly seconds: () => readonly (number | null)[];
}

function playSlowly(node: NodeDefinition, stage: Partial<Stage>): Slow {
  const outside = released();
  const toolCalls = ['a', 'b'].map((key) => ({ id: key, name: 'lookup', args: { key } }));
  const chat = { reducer: 'messages', default: [{ id: 'm', role: 'assistant', content: '', toolCalls }] } as const;
  const graph = { channels: { ...CHANNELS, chat }, nodes: { n: node } };
  const played = play({ replies: [], graph, outside, ...stage });
  return {
    ...played,
    after(ms) {
      outside.release();
      played.run.passTime(ms);
    },
    seconds: () =>
      [...played.requests, ...played.calls, ...played.run.out.map(({ request }) => request)].map(({ policy }) =>
        policy.deadlineMs === null ? null : Math.round(policy.deadlineMs / 1_000),
      ),
  };
}

describe('an llm node', () => {
  const asks: NodeDefinition = { type: 'llm', prompt: 'x', model: ['default', 'spare'], deadline: '10s' };

  test('an llm node gives the next model of its list the remaining time of its deadline', () => {
    const played = playSlowly(asks, { replies: [modelDown, 'hi'] });
    played.after(9_000);
    expect(played.seconds()).toEqual([10, 1]);
    played.after(0);
    expect(played.run.run.status).toBe('completed');
  });

  test('an llm node fails if no time is left, and its deadline begins again on a retry', () => {
    const played = playSlowly({ ...asks, onError: 'intervene' }, { replies: [modelDown, modelDown, 'hi'] });
    played.after(11_000);
    const failed = played.run.events.flatMap((event) => (event.type === 'node.failed' ? [event.error] : []));
    expect(failed).toMatchObject([{ code: 'TIMEOUT', message: "The llm's deadline of 10000 ms is over" }]);
    played.run.signal('retry', { by });
    expect(played.seconds()).toEqual([10, 10]);
  });
});

describe('a tool node with calls', () => {
  const calls: NodeDefinition = { type: 'tool', calls: 'chat', tools: ['lookup', 'charge', 'notify'], deadline: '10s' };

  test('a tool node with calls gives a fallback tool the remaining time of its deadline', () => {
    const tool = ({ tool: name }: { readonly tool: string }): string => {
      if (name === 'lookup') throw declined;
      return 'paid';
    };
    const played = playSlowly(calls, { tool, tools: { lookup: { onFailure: 'charge' } } });
    played.after(9_000);
    expect(played.seconds()).toEqual([10, 10, 1]);
  });

  test('a tool node with calls fails if no time is left for a delayed call, and continues from there on a retry', () => {
    const played = playSlowly({ ...calls, onError: 'intervene' }, { limits: { maxConcurrency: 1 } });
    played.after(11_000);
    const failed = played.run.events.flatMap((event) => (event.type === 'node.failed' ? [event.error] : []));
    expect(failed).toMatchObject([{ code: 'TIMEOUT', message: "The tool's deadline of 10000 ms is over" }]);
    played.run.signal('retry', { by });
    expect([played.calls.length, played.seconds()]).toEqual([1, [10, 10]]);
    played.after(0);
    expect(played.run.run.status).toBe('completed');
  });

  test('the deadline of a tool node with calls stops while the node only waits for people', () => {
    const played = playSlowly(calls, { tools: { lookup: { approval: 'always' } } });
    played.run.passTime(60_000);
    played.run.signal('approve', { approvalId: 'run-1.a1', by });
    expect(played.seconds()).toEqual([10]);
    played.after(4_000);
    played.run.passTime(60_000);
    played.run.signal('approve', { approvalId: 'run-1.a2', by });
    expect(played.seconds()).toEqual([10, 6]);
  });
});
