import { describe, expect, test } from 'vitest';
import type { ToolEntry } from '../../src/graph/definition/catalog.ts';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import type { ToolCallRequest } from '../../src/graph/run/effect.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { asks, breaks, pays, undoEventsOf } from '../support/builders/undoing.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';
import { decideLast } from '../support/builders/runs.ts';

const by = { sub: 'ada', roles: ['approver'] };

/** Plays a run whose compensations call `notify`. */
function play(
  nodes: Record<string, NodeDefinition>,
  notify: Partial<ToolEntry> = { approval: 'always' },
): { run: MemoryRun; undone: () => readonly Json[] } {
  const undone: Json[] = [];
  const tool = ({ tool: name, args }: ToolCallRequest): Json => {
    const text = JSON.stringify(args);
    if (text.includes('break')) throw new CallFailure('TOOL_FAILED', 'broken');
    if (name === 'notify') undone.push(args);
    return { receipt: JSON.parse(text).key };
  };
  const { tools, ...rest } = aCatalog();
  const asking = { description: 'Notify', parameters: {}, effect: 'unsafe', ...notify } as const;
  const catalog = { ...rest, tools: { ...tools, notify: asking } };
  const run = runInMemory({ definition: aDefinition({ nodes }), catalog, input: {} }, { tool });
  return { run, undone: () => undone };
}

const pendingOf = ({ run }: MemoryRun) => Object.values(run.approvals).filter(({ status }) => status === 'pending');
const failing = { a: pays('one'), b: pays('two'), c: breaks };

describe('a compensation by a tool that needs an approval', () => {
  test('a compensation by a tool that needs an approval is not called before a person approves it', () => {
    const { run, undone } = play(failing);
    expect(undone()).toEqual([]);
    expect(run.run).toMatchObject({ status: 'waiting', error: null });
    expect(pendingOf(run)).toMatchObject([
      { node: 'b', tool: 'notify', args: { key: 'back two' }, requestedBy: 'uma' },
    ]);
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'approval', node: 'b', id: pendingOf(run)[0]?.id }]);
    expect(undoEventsOf(run)).toEqual([]);
  });

  test('a compensation by a tool that needs an approval is called when it is approved, and then the next one requests its approval', () => {
    const { run, undone } = play(failing);
    run.signal('approve', { by });
    expect(undone()).toEqual([{ key: 'back two' }]);
    expect(pendingOf(run)).toMatchObject([{ node: 'a', args: { key: 'back one' } }]);
    decideLast(run, 'approve', { by });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED', node: 'c' }, timers: {} });
    expect(run.run.error?.cause).toBeUndefined();
    expect(
      run.events.filter(({ type }) => type.startsWith('approval')).map((event) => 'node' in event && event.node),
    ).toEqual(['b', 'b', 'a', 'a']);
  });

  test('a compensation by a tool that needs an approval is called with the arguments that the approver has edited', () => {
    const { run, undone } = play({ a: pays('one'), c: breaks });
    run.signal('approve', { by, args: { key: 'half' } });
    expect(undone()).toEqual([{ key: 'half' }]);
    expect(run.events).toContainEqual(
      expect.objectContaining({ type: 'compensation.requested', args: { key: 'half' } }),
    );
  });

  test('a compensation by a tool that needs an approval counts as failed when it is rejected, and the error of the run reports this', () => {
    const { run, undone } = play(failing);
    decideLast(run, 'reject', { by, reason: 'keep it' });
    decideLast(run, 'approve', { by });
    expect(undone()).toEqual([{ key: 'back one' }]);
    expect(undoEventsOf(run)).toEqual(['compensation.failed b', 'compensation.requested a', 'node.compensated a']);
    expect(run.run).toMatchObject({
      status: 'failed',
      error: {
        code: 'TOOL_FAILED',
        cause: { code: 'COMPENSATION_FAILED', message: 'Not compensated: b: The call of notify was rejected: keep it' },
      },
    });
  });

  test('a compensation by a tool that needs an approval counts as failed when nobody decides in time', () => {
    const { run, undone } = play({ a: pays('one'), c: breaks });
    run.passTime(8 * 24 * 60 * 60 * 1_000);
    expect(undone()).toEqual([]);
    expect(run.run).toMatchObject({ status: 'failed', error: { cause: { code: 'COMPENSATION_FAILED' } }, timers: {} });
    expect(run.events.filter(({ type }) => type === 'compensation.failed')).toMatchObject([
      { node: 'a', error: { code: 'APPROVAL_EXPIRED' } },
    ]);
    expect(Object.values(run.run.approvals)).toMatchObject([{ status: 'expired' }]);
  });

  test('a compensating tool with an approval condition needs an approval only if the condition over its own arguments is true', () => {
    const { run, undone } = play(failing, { approval: { when: "args.key == 'back one'" } });
    expect(undone()).toEqual([{ key: 'back two' }]);
    expect(pendingOf(run)).toMatchObject([{ node: 'a' }]);
  });

  test('a compensation by a tool that needs an approval fails when its condition can not be evaluated', () => {
    const { run, undone } = play({ a: pays('one'), c: breaks }, { approval: { when: 'args.nope > 1' } });
    expect(undone()).toEqual([]);
    expect(run.run).toMatchObject({ status: 'failed', error: { cause: { code: 'COMPENSATION_FAILED' } } });
  });

  test('a compensation by a tool that needs an approval requests its approval in a canceled run, even if the run is canceled again', () => {
    const { run, undone } = play({ a: pays('one'), ask: asks });
    run.signal('cancel', { by });
    expect(run.run.status).toBe('waiting');
    run.signal('cancel', { by });
    expect(pendingOf(run)).toMatchObject([{ node: 'a' }]);
    decideLast(run, 'approve', { by });
    expect([run.run.status, undone()]).toEqual(['canceled', [{ key: 'back one' }]]);
  });

  test('a compensation by a tool that needs an approval keeps waiting when its failing run is canceled', () => {
    const { run, undone } = play({ a: pays('one'), c: breaks });
    run.signal('cancel', { by });
    decideLast(run, 'approve', { by });
    expect([run.run.status, undone()]).toEqual(['canceled', [{ key: 'back one' }]]);
  });

  test('a compensation by a tool that needs an approval allows neither pause nor retry of the run while it waits', () => {
    const { run, undone } = play({ a: pays('one'), c: breaks });
    for (const name of ['pause', 'retry', 'skip']) run.signal(name, { by });
    expect(run.events.filter(({ type }) => type === 'signal.ignored')).toHaveLength(3);
    expect([run.run.status, undone()]).toEqual(['waiting', []]);
  });

  test('a compensation by a tool that needs an approval requests a separate approval for each list element in a subgraph', () => {
    const inside = aDefinition({
      name: 'inside',
      channels: { items: { default: ['x', 'y'] } },
      nodes: { each: pays('{{ item }}') },
      edges: [{ from: '__start__', forEach: 'state.items', to: 'each' }],
    });
    const { run, undone } = play({ sub: { type: 'subgraph', graph: inside }, c: breaks });
    run.signal('approve', { by });
    run.signal('reject', { by });
    expect(undone()).toEqual([{ key: 'back y' }]);
    expect(run.events).toContainEqual(
      expect.objectContaining({ type: 'approval.requested', node: 'each', index: 0, path: ['sub'] }),
    );
  });
});

describe('the terms of a compensating tool', () => {
  test('the roles of a compensating tool are checked against the person who started the run', () => {
    const { run, undone } = play({ a: pays('one'), c: breaks }, { roles: ['clerk'] });
    expect(undone()).toEqual([]);
    expect(run.run.error?.cause?.message).toBe('Not compensated: a: notify may be called by runs of clerk only');
  });

  test('the approval condition of a compensating tool is evaluated over its own arguments', () => {
    const parameters = { type: 'object', properties: { key: { type: 'integer' } } };
    const { run, undone } = play({ a: pays('one'), c: breaks }, { parameters });
    expect(undone()).toEqual([]);
    expect(run.events.filter(({ type }) => type === 'compensation.failed')).toMatchObject([
      { error: { code: 'INVALID_TOOL_ARGUMENTS' } },
    ]);
  });
});
