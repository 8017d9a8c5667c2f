import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import type { Advance } from '../../src/graph/advance/advance.ts';
import { beginRun, startRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { CompiledGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { foldResumePoints } from '../../src/graph/journal/resume-point.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import type { CallReply } from '../../src/graph/run/effect.ts';
import type { Occurrence } from '../../src/graph/run/occurrence.ts';
import type { Run } from '../../src/graph/run/run.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { shown } from '../support/readers/shown-run.ts';

/*
 * Errors that the interpreter throws while a run ends. Temporal would repeat the workflow task forever if one of them
 * left `advance`, so each ends the run as failed.
 */

const BROKEN = { code: 'INTERNAL', message: 'TypeError: unforeseen' };

/** Breaks an object: reading the member throws. The member is not enumerable, so the object can still be measured. */
function broken<T extends object>(value: T, member: keyof T): T {
  return Object.defineProperty({ ...value }, member, {
    get: () => {
      throw new TypeError('unforeseen');
    },
    enumerable: false,
  });
}

const undo = { tool: 'notify', args: { key: 'back {{ result.receipt }}' } };
const pay = { type: 'tool', tool: 'charge', args: { key: 'k' }, compensate: undo } as const;
const check = { type: 'tool', tool: 'charge', args: { key: 'c' } } as const;
const GRAPH: Partial<GraphDefinition> = { nodes: { pay, check } };

const start = (graph: CompiledGraph, limits = IDENTITY.limits): Advance =>
  startRun(graph, { ...IDENTITY, limits }, { input: {}, startedAt: 0 });

const keyIn = ({ calls }: Run): string => Object.keys(calls)[0] ?? '';
const REPLY: CallReply = { kind: 'value', value: { receipt: 'r1' } };
const answerTo = (run: Run, reply = REPLY): Occurrence => {
  return { kind: 'call.completed', key: keyIn(run), reply, attempts: 1, durationMs: 1, at: 2 };
};
const failureOf = (run: Run): Occurrence => ({
  kind: 'call.failed',
  key: keyIn(run),
  failure: { callFailed: true, error: { code: 'TOOL_FAILED', message: 'declined' } },
  at: 3,
});
const CANCEL = { kind: 'cancel.requested', at: 1 } as const;

/** A run whose first node has finished, and whose pending compensation can't be read. */
function withBrokenCompensation(graph: CompiledGraph): Run {
  const first = start(graph).run;
  const { run } = advance(graph, first, answerTo(first));
  const pending = run.compensation.pending.map((one) => broken({ request: null, ...one }, 'request'));
  return { ...run, compensation: { ...run.compensation, pending } };
}

describe('an error that the interpreter throws', () => {
  const graph = compileGraph(aDefinition(GRAPH), aCatalog());

  test('an error that the interpreter throws while it cancels a run fails the run', () => {
    const canceling = advance(graph, start(graph).run, CANCEL).run;
    const { run, events } = advance(graph, canceling, answerTo(canceling, broken(REPLY, 'kind')));
    expect(shown(run)).toMatchObject({ status: 'failed', error: BROKEN });
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', error: BROKEN });
  });

  test('an error that the interpreter throws during the onCancel node of a canceled run fails the run', () => {
    const tidy = { type: 'tool', tool: 'notify', args: { key: 'tidy' } } as const;
    const definition = aDefinition({ nodes: { check, tidy }, edges: [{ from: '__start__', to: 'check' }] });
    const closable = compileGraph({ ...definition, onCancel: 'tidy' }, aCatalog());
    const canceling = advance(closable, start(closable).run, CANCEL).run;
    const closing = advance(closable, canceling, failureOf(canceling)).run;
    expect(closing.phase.kind).toBe('closing');
    const { run } = advance(closable, closing, answerTo(closing, broken(REPLY, 'kind')));
    expect(shown(run)).toMatchObject({ status: 'failed', error: BROKEN });
  });

  const lacking = (first: string) => ({
    code: 'COMPENSATION_FAILED',
    message: `Not compensated: pay: the run has ended before its compensation. ${first}`,
  });

  test('an error that the interpreter throws in the compensation of a failing run ends the run with an error that names the missing compensation and the first failure', () => {
    const run = withBrokenCompensation(graph);
    const over = advance(graph, run, failureOf(run));
    const cause = lacking('TOOL_FAILED: declined');
    expect(shown(over.run)).toMatchObject({ status: 'failed', error: { ...BROKEN, cause } });
    expect(over.events.filter(({ type }) => type === 'run.failed')).toHaveLength(1);
  });

  test('an error that the interpreter throws in the compensation of a canceled run ends the run', () => {
    const run = withBrokenCompensation(graph);
    const canceling = advance(graph, run, CANCEL).run;
    const over = advance(graph, canceling, failureOf(canceling)).run;
    expect(shown(over)).toMatchObject({
      status: 'failed',
      error: { ...BROKEN, cause: lacking(`${BROKEN.code}: ${BROKEN.message}`) },
    });
  });

  test('an error that the interpreter throws repeatedly while a run fails cancels the open calls and timers', () => {
    const timed = start(graph, limitsOfGraph({ deadline: '1m' }, DEFAULTS)).run;
    const countdown = broken({ leftMs: 60_000, runsSince: 0 }, 'leftMs');
    const over = advance(graph, { ...timed, countdown }, { kind: 'continue', at: 1 });
    expect(shown(over.run)).toMatchObject({ status: 'failed', error: BROKEN });
    expect(over.effects).toEqual(
      expect.arrayContaining([{ kind: 'cancel.calls' }, { kind: 'cancel.timer', id: 'deadline' }]),
    );
    expect([over.run.calls, over.run.timers]).toEqual([{}, {}]);
  });
});

test('a fork that is refused when it starts fails', () => {
  const graph = compileGraph(aDefinition(GRAPH), aCatalog());
  const parent = { runId: 'run-0', checkpoint: 'run-0.c1', callsSince: [], closedApprovals: [] };
  const fork = { parent, channels: {}, resumePoint: foldResumePoints([]), step: 0, values: {}, asNode: 'gone' };
  const { run, events } = beginRun(graph, IDENTITY, { kind: 'fork', fork }, 0);
  expect(shown(run).error).toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('no node "gone"') });
  expect(events.map(({ type }) => type)).toEqual(['run.started', 'run.failed']);
});
