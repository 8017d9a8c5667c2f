import { describe, expect, test } from 'vitest';
import type { OnErrorDefinition } from '../../../src/graph/definition/common-fields.ts';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { toRunView } from '../../../src/graph/journal/run-view.ts';
import { play } from '../../support/builders/agents.ts';
import type { Played, Stage } from '../../support/builders/agents.ts';
import { logOf } from '../../support/builders/runs.ts';
import type { Answer } from '../../support/doubles/memory-shell.ts';

const by = { sub: 'ada', roles: ['approver'] };
const tools = { lookup: { approval: 'always' } } as const;
const WEEK = 7 * 86_400_000;

interface Tool {
  readonly tool: string;
  readonly onError: OnErrorDefinition;
}

function playTool(answer: Answer | null, over: Partial<Stage> = {}, node: Partial<Tool> = {}): Played {
  const lookup = { type: 'tool', tool: 'lookup', args: { key: 'a' }, write: 'log', ...node } as const;
  const nodes: Record<string, NodeDefinition> = { a: lookup, other: { type: 'set', write: { log: 'other' } } };
  return play({
    replies: [],
    tools,
    graph: { nodes, edges: [{ from: '__start__', to: 'a' }] },
    outside: { approval: () => answer },
    ...over,
  });
}

describe('a tool node whose tool needs an approval', () => {
  test('a tool node whose tool needs an approval waits for the approval, and then makes the call', () => {
    const { run, calls } = playTool(null);
    expect(toRunView(run.run)).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'approval', node: 'a' }] });
    expect(calls).toEqual([]);
    run.signal('approve', { by });
    expect([run.run.status, logOf(run), run.run.timers]).toEqual(['completed', ['a'], {}]);
  });

  test('a tool node whose tool needs an approval makes the call with the arguments that the person has edited', () => {
    expect(playTool({ decision: 'approve', args: { key: 'b' } }).calls).toMatchObject([
      { args: { key: 'b' }, isApproved: true },
    ]);
  });

  test('a tool node whose tool needs an approval requests the approval only if the condition is true', () => {
    const of = (when: string): number => playTool(null, { tools: { lookup: { approval: { when } } } }).calls.length;
    expect([of("args.key == 'a'"), of("args.key == 'b'")]).toEqual([0, 1]);
  });

  test('a tool node whose tool needs an approval requests no approval for an unsafe tool unless the tool requires one', () => {
    expect(playTool(null, { tools: {} }, { tool: 'notify' }).calls).toHaveLength(1);
  });

  test.each([
    [undefined, 'The call of lookup was rejected'],
    ['no', 'The call of lookup was rejected: no'],
  ])('a tool node whose tool needs an approval fails when the approval is rejected for %j: %s', (reason, message) => {
    const { run, calls } = playTool({ decision: 'reject', ...(reason !== undefined && { reason }) });
    expect([run.run.error, calls.length]).toEqual([expect.objectContaining({ code: 'APPROVAL_REJECTED', message }), 0]);
  });

  test('a tool node whose tool needs an approval fails when nobody decides', () => {
    const { run } = playTool(null);
    run.passTime(WEEK);
    expect(run.run.error).toMatchObject({ code: 'APPROVAL_EXPIRED', node: 'a' });
  });

  test.each<[string, (played: Played) => void]>([
    ['APPROVAL_REJECTED', ({ run }) => run.signal('reject', { by })],
    ['APPROVAL_EXPIRED', ({ run }) => run.passTime(WEEK)],
  ])('a tool node whose tool needs an approval follows its onError after %s', (code, act) => {
    const played = playTool(null, {}, { onError: { to: 'other', write: { log: '{{ error.code }}' } } });
    act(played);
    expect([played.run.run.status, logOf(played.run)]).toEqual(['completed', [code, 'other']]);
  });

  test('a tool node whose tool needs an approval requests the approval again after a retry', () => {
    const { run, calls } = playTool({ decision: 'reject' });
    run.reopen('retry');
    expect([Object.keys(run.run.approvals).length, calls.length, run.run.status]).toEqual([2, 0, 'failed']);
  });

  test('a tool node whose tool needs an approval does not make the call while the run is paused', () => {
    const { run, calls } = playTool(null);
    run.signal('pause', {});
    run.signal('approve', { by });
    expect([run.run.status, calls.length]).toEqual(['paused', 0]);
    run.signal('resume', {});
    expect([run.run.status, calls.length]).toEqual(['completed', 1]);
  });

  test('a tool node whose tool needs an approval does not make the call while too many others are open', () => {
    const { run, calls } = playTool(null, {
      graph: {
        nodes: {
          a: { type: 'tool', tool: 'lookup', args: { key: 'a' } },
          b: { type: 'tool', tool: 'charge', args: { key: 'b' } },
        },
        edges: [{ from: '__start__', to: ['a', 'b'] }],
        limits: { maxConcurrency: 1 },
      },
      outside: { next: () => null },
    });
    run.signal('approve', { by });
    expect([calls.length, run.out.map(({ node }) => node)]).toEqual([0, ['b']]);
  });

  test('the last node of a canceled run requests no approval of its tool, and does not block the run', () => {
    const { run } = play({
      replies: [],
      tools,
      graph: {
        nodes: { w: { type: 'wait', event: 'go' }, end: { type: 'tool', tool: 'lookup', args: { key: 'a' } } },
        edges: [{ from: '__start__', to: 'w' }],
        onCancel: 'end',
      },
    });
    run.signal('cancel', {});
    expect([run.run.status, run.run.approvals]).toEqual(['canceled', {}]);
    expect(run.events.find(({ type }) => type === 'node.failed')).toMatchObject({
      error: { code: 'APPROVAL_REJECTED' },
    });
  });
});
