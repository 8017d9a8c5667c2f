import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import type { CallEffect } from '../../src/graph/run/effect.ts';
import { MAX_HELD_BYTES, heldBytes } from '../../src/graph/run/held-bytes.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { asks, play, says } from '../support/builders/agents.ts';
import type { Played, Said, Stage } from '../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { CallFailure } from '../support/doubles/memory-shell.ts';
import { shown } from '../support/readers/shown-run.ts';
import { hasLostSeveral } from '../../src/graph/run/unknown-outcomes.ts';

/*
 * A node that fails during its open calls, because the run has no room for what it holds, ends only after these calls.
 */

const ROOM = 10_000;
const LARGE = 'x'.repeat(2 * ROOM);
const lost = new CallFailure('UNKNOWN_OUTCOME', 'Nobody knows');
const GO: NodeDefinition = { type: 'wait', event: 'go' };
const AGENT = { type: 'agent', prompt: 'p', tools: ['lookup', 'charge', 'notify'] } as const;

/** A loop of a node and one that waits; the failure of the first leads to the second. */
const loopOf = (a: NodeDefinition): Partial<GraphDefinition> => ({
  channels: { log: { reducer: 'append' }, large: { default: LARGE } },
  nodes: { a, b: GO },
  edges: [
    { from: '__start__', to: 'b' },
    { from: 'b', to: 'a' },
  ],
});

interface Full extends Played {
  /** Lets the calls of one more tool return. */
  letIn(name: string): void;
}

/** A run that has almost no room when its node begins. */
function full({ replies = [], tool, ...stage }: Partial<Stage>): Full {
  const isIn = new Set(['model']);
  const nameOf = ({ request }: CallEffect): string => (request.kind === 'tool' ? request.tool : request.kind);
  const next = (calls: readonly CallEffect[]): number | null => {
    const at = calls.findIndex((call) => isIn.has(nameOf(call)));
    return at === -1 ? null : at;
  };
  const played = play({
    replies,
    tools: { notify: { approval: 'never' } },
    ...(tool && { tool }),
    ...stage,
    outside: { next },
  });
  const { run } = played;
  run.signal('event', { event: 'never', payload: 'x'.repeat(MAX_HELD_BYTES - heldBytes(run.run) - ROOM) });
  run.signal('event', { event: 'go' });
  return {
    ...played,
    letIn(name) {
      isIn.add(name);
      run.signal('event', { event: 'never' });
    },
  };
}

const outOf = ({ run }: Played): readonly string[] => run.out.map(({ key, takeover }) => `${key} ${takeover}`);
const statusesOf = ({ run }: Played) => [run.run.status, run.steps.map(([node]) => node).join('')];
const waitingOf = ({ run }: Played) => toRunView(run.run).waitingFor.filter(({ kind }) => kind === 'intervention');
const madeOf = ({ calls }: Played) => calls.map(({ tool }) => tool);
const isCounted = ({ run }: Played): boolean => heldBytes(run.run) === heldBytes(structuredClone(run.run));

const answers: Stage['tool'] = ({ tool }): Json => (tool === 'lookup' ? LARGE : tool);
const losing: Stage['tool'] = ({ tool }): Json => {
  if (tool === 'notify') throw lost;
  return tool === 'lookup' ? LARGE : tool;
};
const both: readonly Said[] = [asks(['lookup', { key: 'l' }], ['charge', { key: 'c' }]), says('done')];

describe('an agent that exceeds the size limit by the answer of a call while another call is open', () => {
  test('an agent that exceeds the size limit follows its onError only after its other open call has returned, and keeps visits apart', () => {
    const played = full({ replies: both, tool: answers, graph: loopOf({ ...AGENT, onError: { to: 'b' } }) });
    played.letIn('lookup');
    expect(played.run.events.at(-1)).toMatchObject({ type: 'node.failed', error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect([statusesOf(played), outOf(played)]).toEqual([['running', 'ba'], ['run-1:a:1:2:0 0']]);
    played.run.signal('event', { event: 'go' });
    expect(statusesOf(played)).toEqual(['running', 'ba']);
    played.letIn('charge');
    expect([statusesOf(played), isCounted(played)]).toEqual([['completed', 'baba'], true]);
    expect(madeOf(played)).toEqual(['lookup', 'charge']);
  });

  test('an agent that exceeds the size limit can not be retried before its other open call has returned, and does not repeat that call', () => {
    const played = full({ replies: both, tool: answers, graph: loopOf({ ...AGENT, onError: 'intervene' }) });
    played.letIn('lookup');
    played.run.signal('retry', {});
    expect(played.run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_allowed_now' });
    played.letIn('charge');
    expect([played.run.run.status, outOf(played)]).toEqual(['waiting', []]);
    expect(waitingOf(played)).toMatchObject([{ node: 'a', error: { code: 'PAYLOAD_TOO_LARGE' } }]);
    played.run.signal('retry', {});
    expect(madeOf(played)).toEqual(['lookup', 'charge', 'lookup']);
    expect(isCounted(played)).toBe(true);
  });

  test('an agent that exceeds the size limit waits for a person if its other open call is lost, whatever its onError is', () => {
    const replies = [asks(['lookup', { key: 'l' }], ['notify', { key: 'n' }])];
    const graph = { ...loopOf({ ...AGENT, onError: { to: 'b' } }), limits: { maxConcurrency: 1 } };
    const played = full({ replies, tool: losing, graph });
    played.letIn('lookup');
    expect(outOf(played)).toEqual(['run-1:a:1:2:0 0']);
    played.letIn('notify');
    expect([statusesOf(played), waitingOf(played).length]).toEqual([['waiting', 'ba'], 1]);
    played.run.signal('retry', {});
    expect(madeOf(played)).toEqual(['lookup', 'notify', 'lookup']);
  });

  test('an agent that exceeds the size limit drops the answer of its other open call if that exceeds the limit, too', () => {
    const replies = [asks(['lookup', { key: 'l' }], ['charge', { key: 'c' }])];
    const played = full({ replies, tool: () => LARGE, graph: loopOf({ ...AGENT, onError: 'intervene' }) });
    played.letIn('lookup');
    played.letIn('charge');
    expect(heldBytes(played.run.run)).toBeLessThan(MAX_HELD_BYTES);
    expect([played.run.run.status, isCounted(played)]).toEqual(['waiting', true]);
  });
});

describe('an agent that exceeds the size limit by the calls that it has just begun', () => {
  const asking = (tool: string) => [asks([tool, { key: 'k', value: LARGE }]), asks([tool, { key: 'k', value: LARGE }])];

  test('an agent that exceeds the size limit by its new calls follows its onError after they have returned', () => {
    const graph = loopOf({ ...AGENT, onError: { to: 'b' } });
    const played = full({ replies: asking('charge'), tool: answers, graph });
    expect([statusesOf(played), outOf(played)]).toEqual([['running', 'ba'], ['run-1:a:1:1:0 0']]);
    played.letIn('charge');
    expect([statusesOf(played), outOf(played)]).toEqual([['waiting', 'bab'], []]);
  });

  test('an agent that exceeds the size limit by its new calls waits for a person, who must name the call, if one is lost', () => {
    const graph = loopOf({ ...AGENT, onError: { to: 'b' } });
    const played = full({ replies: asking('notify'), tool: losing, graph });
    played.letIn('notify');
    expect(waitingOf(played)).toMatchObject([{ error: { code: 'UNKNOWN_OUTCOME' }, idempotencyKey: 'run-1:a:1:1:0' }]);
    played.run.signal('fail', {});
    expect([played.run.run.status, hasLostSeveral(played.run.run, 'a')]).toEqual(['failed', false]);
    played.run.reopen('retry');
    expect(played.run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'intervention_id_required' });
    expect(madeOf(played)).toEqual(['notify']);
  });
});

test('an agent that exceeds the size limit by two calls, which are both lost, repeats none of them', () => {
  const call = (key: string) => ['notify', { key, value: LARGE }] as const;
  const graph = loopOf({ ...AGENT, onError: { to: 'b' } });
  const played = full({ replies: [asks(call('k'), call('l'))], tool: losing, graph });
  played.letIn('notify');
  expect(waitingOf(played)).toMatchObject([{ error: { code: 'UNKNOWN_OUTCOME' }, idempotencyKey: 'run-1:a:1:2:0' }]);
  expect(played.run.run.compensation.perhapsMade).toMatchObject([{ key: 'run-1:a:1:1:0' }]);
  played.run.signal('retry', {});
  expect(played.run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_allowed_now' });
  played.run.signal('fail', {});
  expect([played.run.run.status, hasLostSeveral(played.run.run, 'a')]).toEqual(['failed', true]);
  played.run.reopen('retry', { node: 'a' });
  expect(played.run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_allowed_now' });
  expect([madeOf(played), isCounted(played)]).toEqual([['notify', 'notify'], true]);
});

describe('a node that exceeds the size limit by its single call', () => {
  const calls = (tool: string): NodeDefinition => ({
    type: 'tool',
    tool,
    args: { key: 'k', value: '{{ state.large }}' },
    onError: { to: 'b' },
  });

  test('a node that exceeds the size limit by its single call follows its onError after the call has returned', () => {
    const played = full({ tool: answers, graph: loopOf(calls('charge')) });
    expect([statusesOf(played), outOf(played)]).toEqual([['running', 'ba'], ['run-1:a:1:0:0 0']]);
    played.letIn('charge');
    expect([statusesOf(played), outOf(played)]).toEqual([['waiting', 'bab'], []]);
  });

  test('a node that exceeds the size limit by its single call waits for a person if the call is lost', () => {
    const played = full({ tool: losing, graph: loopOf(calls('notify')) });
    played.letIn('notify');
    expect(waitingOf(played)).toMatchObject([{ error: { code: 'UNKNOWN_OUTCOME' }, idempotencyKey: 'run-1:a:1:0:0' }]);
    expect(isCounted(played)).toBe(true);
  });

  test('a node that exceeds the size limit by its single call fails its run after the call has returned, and a retry requests the same call', () => {
    const { onError: _none, ...node } = calls('charge');
    const played = full({ tool: answers, graph: loopOf(node) });
    played.letIn('charge');
    expect(played.run.run).toMatchObject({ status: 'failed', error: { code: 'PAYLOAD_TOO_LARGE' }, calls: {} });
    played.run.reopen('edit', { values: { large: '' } });
    played.run.reopen('retry');
    expect(played.keys).toEqual(['run-1:a:1:0:0', 'run-1:a:1:0:0']);
  });

  test('a node that exceeds the size limit by its single call is canceled with its run', () => {
    const played = full({ tool: answers, graph: loopOf(calls('charge')) });
    played.run.signal('cancel', {});
    expect(played.run.run.status).toBe('running');
    played.letIn('charge');
    expect(played.run.run).toMatchObject({ status: 'canceled', calls: {} });
  });
});

test.each<[string, NodeDefinition]>([
  ['an agent', { type: 'agent', prompt: 'p', tools: ['lookup'] }],
  ['an llm', { type: 'llm', prompt: 'p' }],
  ['a tool', { type: 'tool', tool: 'charge', args: { key: 'k' } }],
  ['a function', { type: 'function', function: 'double' }],
  ['an approval', { type: 'approval', title: 'May I?' }],
])('a node of type %s ignores the result of a call of another visit', (_name, node) => {
  const graph = compileGraph(aDefinition({ nodes: { a: node } }), aCatalog());
  const { run } = startRun(graph, IDENTITY, { input: {}, startedAt: 0 });
  const late = { taskPath: ['a'], called: { kind: 'tool', name: 'lookup' }, takeover: 0, since: 0 } as const;
  const reply = { kind: 'value', value: 'late' } as const;
  const occurrence = { kind: 'call.completed', key: 'late', reply, attempts: 1, durationMs: 1, at: 1 } as const;
  const next = advance(graph, { ...run, calls: { ...run.calls, late } }, occurrence).run;
  expect(Object.keys(next.calls)).toEqual(Object.keys(run.calls));
  expect([shown(next).error, next.root.at]).toEqual([null, run.root.at]);
});
