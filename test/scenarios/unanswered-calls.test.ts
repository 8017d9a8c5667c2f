import { describe, expect, test } from 'vitest';
import { advance, signalEndedRun } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { CompiledGraph } from '../../src/graph/compile/compile.ts';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { CallReply } from '../../src/graph/run/effect.ts';
import type { Run } from '../../src/graph/run/run.ts';
import type { TaskFailure } from '../../src/graph/values/errors.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { asks } from '../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { pays } from '../support/builders/undoing.ts';
import { shown } from '../support/readers/shown-run.ts';

/*
 * Calls that are open when the interpreter fails twice: once at its work, and again while it ends the run. The run ends
 * at once and receives no answer, so each call was possibly executed.
 */

const calls = (tool: string): NodeDefinition => ({ type: 'tool', tool, args: { key: 'k' } });
const compile = (nodes: Record<string, NodeDefinition>): CompiledGraph =>
  compileGraph(aDefinition({ nodes }), aCatalog());
const begin = (graph: CompiledGraph): Run => startRun(graph, IDENTITY, { input: {}, startedAt: 0 }).run;

/** Ends a run by a graph that throws at each access to its deadlines. */
function breakTwice(graph: CompiledGraph, run: Run): Run {
  const broken = Object.defineProperty({ ...graph }, 'hasDeadlines', {
    get: () => {
      throw new TypeError('it breaks');
    },
  });
  return advance(broken, run, { kind: 'timer', id: 'none', at: 1 }).run;
}

const retry = (graph: CompiledGraph, run: Run, payload: JsonObject = {}) =>
  signalEndedRun(graph, run, { now: 2, name: 'retry', payload });
const fail = (graph: CompiledGraph, run: Run, failure: TaskFailure) => {
  const [key = ''] = Object.keys(run.calls);
  return advance(graph, run, { kind: 'call.failed', key, failure, at: 3 }).run;
};
const complete = (graph: CompiledGraph, run: Run, reply: CallReply) => {
  const [key = ''] = Object.keys(run.calls);
  return advance(graph, run, { kind: 'call.completed', key, reply, attempts: 1, durationMs: 1, at: 3 }).run;
};
const left = (text: string) => expect.stringContaining(`Not compensated: ${text}`);
const LOST: TaskFailure = { callFailed: false, error: { code: 'UNKNOWN_OUTCOME', message: 'lost' } };

describe.each(['charge', 'notify'])('a call of %s without an answer', (tool) => {
  const graph = compile({ a: calls(tool) });
  const ended = breakTwice(graph, begin(graph));

  test('a call of a tool without an answer is listed in the error of its run, and counted', () => {
    const cause = { code: 'UNKNOWN_OUTCOME', message: left(`a: the call of ${tool} may have been made`) };
    const error = { code: 'INTERNAL', message: 'TypeError: it breaks', cause };
    expect(shown(ended)).toMatchObject({ status: 'failed', error, calls: {}, spent: { toolCalls: 1 } });
  });

  test('a call without an answer is requested again under its key and takeover number, so it takes over no other attempt', () => {
    const key = 'run-1:a:1:0:0';
    expect(retry(graph, ended).effects).toMatchObject([{ kind: 'call', key, takeover: 0 }]);
    const again = breakTwice(graph, retry(graph, ended).run);
    expect(retry(graph, again).effects).toMatchObject([{ kind: 'call', key, takeover: 0 }]);
  });

  test('a call without an answer is no longer listed after the answer arrives, and counts once', () => {
    const done = complete(graph, retry(graph, ended).run, { kind: 'value', value: 1 });
    expect(done).toMatchObject({ phase: { kind: 'completed' }, compensation: { perhapsMade: [] } });
    expect(done.spent.toolCalls).toBe(1);
  });
});

describe('an unsafe call without an answer', () => {
  const graph = compile({ a: calls('notify') });
  const ended = breakTwice(graph, begin(graph));

  test('an unsafe call without an answer waits for a person if the ledger does not know it either, and is then repeated by order of the person', () => {
    const waiting = fail(graph, retry(graph, ended).run, LOST);
    expect(shown(waiting)).toMatchObject({ status: 'waiting', root: { at: { tasks: [{ state: LOST_STATE }] } } });
    const ordered = advance(graph, waiting, { kind: 'signal', name: 'retry', payload: { node: 'a' }, at: 4 });
    expect(ordered.effects).toMatchObject([{ kind: 'call', key: 'run-1:a:1:0:0', takeover: 2 }]);
  });

  test('an unsafe call without an answer waits for a person if the ledger refuses it because its arguments have changed', () => {
    const refusal: TaskFailure = { callFailed: false, error: { code: 'INTERNAL', message: 'another request' } };
    const waiting = fail(graph, retry(graph, ended).run, refusal);
    expect(shown(waiting)).toMatchObject({ status: 'waiting', root: { at: { tasks: [{ state: LOST_STATE }] } } });
  });

  test.each([
    ['a node', graph],
    ['a subgraph', compile({ a: { type: 'subgraph', graph: aDefinition({ nodes: { b: calls('notify') } }) } })],
  ])('an unsafe call without an answer that was given up is repeated only if a retry names it: %s', (_what, around) => {
    const waiting = fail(around, begin(around), LOST);
    const givenUp = advance(around, waiting, { kind: 'signal', name: 'fail', payload: {}, at: 4 }).run;
    expect(shown(givenUp).status).toBe('failed');
    expect(retry(around, givenUp)).toMatchObject({ effects: [], events: [{ reason: 'intervention_id_required' }] });
    expect(retry(around, givenUp, { node: 'a' }).effects).toMatchObject([{ kind: 'call', takeover: 1 }]);
  });
});

test('a call of an agent that was never answered is requested again with its takeover number', () => {
  const graph = compile({ a: { type: 'agent', prompt: 'Go', tools: ['charge'] } });
  const reply = asks(['charge', { key: 'k' }]);
  const called = complete(graph, begin(graph), reply);
  expect(retry(graph, breakTwice(graph, called)).effects).toMatchObject([{ kind: 'call', takeover: 0 }]);
});

test('a compensation without an answer is named in the error, and its run can not be retried, because the compensation was possibly executed', () => {
  const graph = compile({ a: pays('k'), b: calls('lookup') });
  const paid = complete(graph, begin(graph), { kind: 'value', value: { receipt: 'r' } });
  const declined: TaskFailure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'declined' } };
  const undoing = fail(graph, paid, declined);
  const key = 'run-1:a:1:0:0:undo';
  expect(undoing.calls).toHaveProperty([key]);
  const ended = breakTwice(graph, undoing);
  const cause = { code: 'COMPENSATION_FAILED', message: left('a: the run has ended before its compensation') };
  expect(shown(ended)).toMatchObject({ error: { code: 'INTERNAL', cause }, calls: {} });
  expect(retry(graph, ended)).toMatchObject({ effects: [], events: [{ reason: 'not_allowed_now' }] });
});

const LOST_STATE = { phase: 'intervention', failure: { error: { code: 'UNKNOWN_OUTCOME' } } };
