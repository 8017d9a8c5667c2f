import { describe, expect, test } from 'vitest';
import { advance, signalEndedRun } from '../../src/graph/advance/advance.ts';
import { startRun as begin } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import { isCallReply } from '../../src/graph/run/call.ts';
import { DEADLINE_TIMER } from '../../src/graph/run/ids.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import type { Run } from '../../src/graph/run/run.ts';
import type { RunErrorCode } from '../../src/graph/values/errors.ts';
import { says } from '../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds, logOf, startRun } from '../support/builders/runs.ts';
import { breakable, works } from '../support/doubles/breakable.ts';
import { refusalOf } from '../support/readers/refusal-of.ts';
import { shown } from '../support/readers/shown-run.ts';

/* Runs that have ended in the middle of their work. */

const limits = { deadline: '1h' };
const calling = (tool: 'charge' | 'notify') =>
  compileGraph(aDefinition({ nodes: { a: { type: 'tool', tool, args: { key: 'k' } } }, limits }), aCatalog());
const graph = calling('charge');
const unsafe = calling('notify');
const IDENTITY = {
  id: 'run-1',
  tenantId: 'acme',
  threadId: null,
  graph: { name: 'test', version: null, hash: 'h' },
  createdBy: { sub: 'uma', roles: [] },
  limits: limitsOfGraph(limits, DEFAULTS),
};

/** A run whose deadline expired during an open call, and the outcome of that call. */
function late(code: RunErrorCode, called = graph): { readonly run: Run; readonly key: string } {
  const { run } = begin(called, IDENTITY, { input: {}, startedAt: 0 });
  const [key = ''] = Object.keys(run.calls);
  const over = advance(called, run, { kind: 'timer', id: DEADLINE_TIMER, at: 3_600_000 });
  const failure = { callFailed: false, error: { code, message: 'called back' } };
  return { key, run: advance(called, over.run, { kind: 'call.failed', key, failure, at: 3_600_001 }).run };
}

const retried = (run: Run, called = graph) =>
  signalEndedRun(called, run, { now: 3_600_002, name: 'retry', payload: {} });

describe('a run whose deadline expired during an open call', () => {
  test('a call that was open when the deadline of its run expired is repeated under its key when a person retries', () => {
    const { run, key } = late('CANCELED');
    expect(shown(run)).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' }, timers: {} });
    expect(retried(run).effects).toMatchObject([{ kind: 'call', key, takeover: 1 }, { kind: 'timer' }]);
  });

  test.each<RunErrorCode>(['UNKNOWN_OUTCOME', 'CANCELED', 'INTERNAL'])(
    'an unsafe call of unknown outcome at the deadline of its run is reported and not repeated: %s',
    (code) => {
      const { run } = late(code, unsafe);
      const cause = { code: 'UNKNOWN_OUTCOME', message: 'Not compensated: a: the outcome of the call is unknown' };
      expect(shown(run).error).toMatchObject({ code: 'DEADLINE_EXCEEDED', cause });
      const again = retried(run, unsafe);
      expect(shown(again.run)).toMatchObject({
        status: 'waiting',
        error: null,
        root: { at: { tasks: [{ state: { phase: 'intervention' } }] } },
      });
      expect(again.effects).toEqual([]);
    },
  );
});

test('a canceled run can be neither retried nor skipped, whatever it waited for', () => {
  const { outside } = breakable('a');
  const run = startRun({ nodes: { a: { ...works('a'), onError: 'intervene' } } }, outside);
  run.signal('cancel', {});
  expect(run.run.status).toBe('canceled');
  expect([refusalOf(run, 'retry', {}), refusalOf(run, 'skip', { output: 1 })]).toEqual([
    'not_allowed_now',
    'not_allowed_now',
  ]);
});

test('a subgraph whose failure a person has confirmed continues at its inner nodes on a retry', () => {
  const { outside, broken, calls } = breakable('b');
  const inside = aDefinition({ name: 'inside', nodes: { a: works('a'), b: works('b') } });
  const sub = { type: 'subgraph', graph: inside, onError: 'intervene', write: { log: '{{ result.log }}' } } as const;
  const run = startRun({ nodes: { sub } }, outside);
  run.signal('fail', {});
  broken.clear();
  run.reopen('retry');
  expect([run.run.status, logOf(run)]).toEqual(['completed', ['a!', 'b!']]);
  expect(calls.filter((call) => call.includes('a:'))).toHaveLength(1);
});

test('a run that could not start can be forked with valid values', () => {
  const edges = [{ from: '__start__', route: 'state.log[0]', paths: { x: 'a' } }];
  const run = startRun({ nodes: { a: adds('a') }, edges });
  expect(run.run).toMatchObject({ status: 'failed', error: { code: 'EXPRESSION_FAILED' } });
  const fork = run.fork('run-1.c1', { values: { log: 'x' } });
  expect('run' in fork && logOf(fork)).toEqual(['x', 'a']);
});

test('values given at a breakpoint after a node change the next nodes, and the checkpoint records these', () => {
  const branches = [{ when: 'size(state.log) > 1', to: 'c' }, { to: 'b' }];
  const run = startRun({
    nodes: { a: adds('a'), b: adds('b'), c: adds('c') },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', branches },
    ],
    interruptAfter: ['a'],
  });
  const checkpoint = run.run.checkpointId ?? '';
  const fork = run.fork(checkpoint, { values: { log: 'x' } });
  expect('run' in fork && fork.checkpoints.at(-1)?.next).toEqual(['c']);
  run.signal('resume', { values: { log: 'x' } });
  expect(run.checkpoints.find(({ source }) => source === 'update')?.next).toEqual(['c']);
});

test('a model call whose correction was open at the deadline begins again, and each answer counts once', () => {
  const output = { type: 'object', required: ['n'] };
  const ask = { type: 'llm', prompt: 'How many?', output, write: { log: ['{{ result.object.n }}'] } } as const;
  const asking = compileGraph(aDefinition({ nodes: { ask }, limits }), aCatalog());
  const answered = (run: Run, number: number, text: string) =>
    advance(asking, run, {
      kind: 'call.completed',
      ...answer(`run-1:ask:1:${number}:0`, text),
      at: 3_599_000 + number,
    });
  const first = begin(asking, IDENTITY, { input: {}, startedAt: 0 });
  const corrected = answered(first.run, 0, 'many');
  const over = advance(asking, corrected.run, { kind: 'timer', id: DEADLINE_TIMER, at: 3_600_000 });
  const failure = { callFailed: false, error: { code: 'CANCELED', message: 'called back' } } as const;
  const key = 'run-1:ask:1:1:0';
  const ended = advance(asking, over.run, { kind: 'call.failed', key, failure, at: 3_600_001 });
  expect(shown(ended.run)).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
  const again = signalEndedRun(asking, ended.run, { now: 3_600_002, name: 'retry', payload: {} });
  const recorded = answered(again.run, 0, 'many');
  expect(recorded.effects.flatMap((effect) => (effect.kind === 'call' ? [effect.key] : []))).toEqual([key]);
  const done = answered(recorded.run, 1, '{"n":7}');
  expect(shown(done.run)).toMatchObject({ status: 'completed', output: { log: [7] } });
  expect(done.run.spent).toMatchObject({ modelCalls: 3, inputTokens: 20, outputTokens: 10 });
});

const answer = (key: string, text: string) => ({ key, reply: says(text), attempts: 1, durationMs: 1 });

test('the deadline of a run restarts when it is raised during the run', () => {
  const { outside } = breakable('a');
  const asked = { limits: { deadline: '30m' } };
  const run = startRun({ nodes: { a: { ...works('a'), onError: 'intervene' } }, limits }, outside);
  run.signal('retry', asked);
  expect(run.run).toMatchObject({ limits: { deadlineMs: 1_800_000 }, countdown: { leftMs: 1_799_999 } });
});

test.each([
  [{ kind: 'value', value: null }, true],
  [{ kind: 'model', text: '' }, true],
  [{ kind: 'value' }, false],
  [{ kind: 'model' }, false],
  ['text', false],
])('the value %j is recognized as the reply of a call: %j', (value, isReply) => {
  expect(isCallReply(value)).toBe(isReply);
});
