import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signalEndedRun } from '../../src/graph/advance/advance.ts';
import type { Advance } from '../../src/graph/advance/advance.ts';
import { forkRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { foldCheckpoints, foldResumePoints } from '../../src/graph/journal/resume-point.ts';
import type { Checkpoint } from '../../src/graph/journal/resume-point.ts';
import { heldBytes } from '../../src/graph/run/held-bytes.ts';
import type { OccurrenceBody } from '../../src/graph/run/occurrence.ts';
import type { Run } from '../../src/graph/run/run.ts';
import { hasEnded, statusOf } from '../../src/graph/run/status.ts';
import { isJsonObject } from '../../src/graph/values/json.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { randomCatalog, randomGraph } from '../support/builders/random-graphs.ts';
import { randomSignal } from '../support/builders/random-signals.ts';
import { createRandom } from '../support/builders/random.ts';
import { copyOf, forkStartAt, asReadFromStore } from '../support/builders/stored.ts';
import { repetitions } from '../support/builders/repetitions.ts';
import { shown } from '../support/readers/shown-run.ts';
import { STARTED_AT, runShuffled } from '../support/readers/shuffled-run.ts';
import type { ShuffledRun, ShuffledRunOptions } from '../support/readers/shuffled-run.ts';

const graphs = randomGraph(2, 5);
/** Graphs that a failing call makes fail, except for those that always fail. */
const strict = graphs.map(withoutOnError);
const seeds = fc.integer({ min: 0, max: 2 ** 31 });
/** The moments of an action: how many opportunities are skipped before each. */
const moments = fc.array(fc.nat(12), { minLength: 1, maxLength: 4 });

/** Enough to combine every kind of node and edge with every kind of checkpoint, in a few seconds. */
const RUNS = { numRuns: repetitions(150) };

function play(definition: GraphDefinition, seed: number, over: Partial<ShuffledRunOptions> = {}): ShuffledRun {
  const random = createRandom(seed);
  const choose = (count: number): number => Math.floor(random.next() * count);
  return runShuffled({ definition, catalog: randomCatalog, choose, ...over });
}

function pickFrom<T>(items: readonly T[], seed: number): T {
  return createRandom(seed).pick(items);
}

const checkpointsOf = ({ steps }: ShuffledRun): readonly Checkpoint[] => steps.flatMap((step) => step.checkpoints);

/** The nodes of each superstep of the run's own graph, from an event on. */
const stepsOf = ({ steps }: ShuffledRun, after = 0): readonly (readonly string[])[] =>
  steps
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.type === 'step.started' && !event.path && event.seq > after ? [event.nodes] : []));

const keysOf = ({ steps }: ShuffledRun): readonly string[] =>
  steps.flatMap(({ effects }) => effects.flatMap((effect) => (effect.kind === 'call' ? [effect.key] : [])));

/** Returns the result of a run without ephemeral channels, which are in no checkpoint and may differ. */
function endOf({ run: { status, output, error, root } }: ShuffledRun): JsonObject {
  const { brief: _fades, ...channels } = root.channels;
  return copyOf({ status, output, error: error && { ...error }, channels, visits: { ...root.visits } });
}

/** Forks behind approvals require the permission to decide them. */
const APPROVER = { sub: 'ada', roles: ['approver'] };

/** Begins at a checkpoint of another run. */
function forkAt(checkpoint: string, checkpoints: readonly Checkpoint[]): NonNullable<ShuffledRunOptions['begin']> {
  return (graph, identity) => {
    const fork = forkStartAt(checkpoint, {}, { checkpoints });
    const first = forkRun(graph, { ...identity, createdBy: APPROVER }, { fork, startedAt: STARTED_AT });
    if ('code' in first) throw new Error(`The fork was refused: ${first.message}`);
    return first;
  };
}

/** Makes an edit without changes at some of the moments at which a run could be edited. */
function correctingNothing(when: readonly number[]): NonNullable<ShuffledRunOptions['interject']> {
  let moment = 0;
  return (run) => {
    const status = statusOf(run);
    if (status !== 'waiting' && status !== 'paused') return null;
    const body = { kind: 'signal', name: 'edit', payload: { values: {} } } as const;
    const check = (before: Run, { run }: Advance): void => expect(statusOf(run)).toBe(statusOf(before));
    return when.includes(moment++) ? { body, check } : null;
  };
}

describe('for any graph, a fork', () => {
  test('for any graph, a fork from any checkpoint ends as its parent did', () => {
    fc.assert(
      fc.property(graphs, seeds, seeds, (definition, one, other) => {
        const parent = play(definition, one);
        const checkpoints = checkpointsOf(parent);
        const { id, seq } = pickFrom(checkpoints, other);
        const fork = play(definition, other, { begin: forkAt(id, checkpoints) });
        expect(endOf(fork)).toEqual(endOf(parent));
        expect(fork.run.spent).toEqual(parent.run.spent);
        expect(stepsOf(fork)).toEqual(stepsOf(parent, seq));
      }),
      RUNS,
    );
  });

  test('for any graph, a fork of a fork ends as its parent did, and needs only the checkpoints of its parent', () => {
    fc.assert(
      fc.property(graphs, seeds, seeds, (definition, one, other) => {
        const parent = play(definition, one);
        const first = checkpointsOf(parent);
        const fork = play(definition, one, { begin: forkAt(pickFrom(first, one).id, first) });
        const second = checkpointsOf(fork);
        const again = play(definition, other, { begin: forkAt(pickFrom(second, other).id, second) });
        expect(endOf(again)).toEqual(endOf(parent));
        expect(again.run.spent).toEqual(parent.run.spent);
      }),
      RUNS,
    );
  });

  test('for any graph, a fork restarts a superstep that was open at its checkpoint', () => {
    fc.assert(
      fc.property(graphs, seeds, moments, (definition, seed, when) => {
        const parent = play(definition, seed, { interject: correctingNothing(when) });
        const checkpoints = checkpointsOf(parent);
        const updates = checkpoints.filter(({ source }) => source === 'update');
        fc.pre(updates.length > 0);
        const fork = play(definition, seed, { begin: forkAt(pickFrom(updates, seed).id, checkpoints) });
        expect(endOf(fork)).toEqual(endOf(parent));
      }),
      RUNS,
    );
  });
});

describe('for any graph, a retry', () => {
  /** A run whose call with this key is lost. The run fails with that, and is retried. */
  function playLosing(lost: string, definition: GraphDefinition, seed: number): [ShuffledRun, ShuffledRun] {
    const error = { code: 'TOOL_FAILED', message: 'lost' } as const;
    const answer = ({ key }: { key: string }): OccurrenceBody | null =>
      key === lost ? { kind: 'call.failed', key, failure: { callFailed: true, error } } : null;
    const failed = play(definition, seed, { answer });
    fc.pre(failed.run.status === 'failed' && JSON.stringify(failed.run.error).includes('lost'));
    const graph = compileGraph(definition, randomCatalog);
    const stored = asReadFromStore(failed.run, { graph, checkpoints: checkpointsOf(failed) });
    const signal = { now: STARTED_AT, name: 'retry', payload: {} };
    return [failed, play(definition, seed, { answer, begin: (same) => signalEndedRun(same, stored, signal) })];
  }

  test('for any graph, a retried run ends as if the call had never failed', () => {
    fc.assert(
      fc.property(strict, seeds, seeds, (definition, seed, pick) => {
        const whole = play(definition, seed);
        fc.pre(keysOf(whole).length > 0);
        const [failed, again] = playLosing(pickFrom(keysOf(whole), pick), definition, seed);
        expect(endOf(again)).toEqual(endOf(whole));
        expect([...stepsOf(failed), ...stepsOf(again)]).toEqual(stepsOf(whole));
      }),
      RUNS,
    );
  });

  /** The graph that an agent calls has a number and no key; after a lost answer of the model it has another number. */
  const isInHelper = (key: string): boolean => key.includes('/helper#');

  test('for any graph, a retry repeats no call that has succeeded', () => {
    fc.assert(
      fc.property(strict, seeds, seeds, (definition, seed, pick) => {
        const whole = play(definition, seed);
        fc.pre(keysOf(whole).length > 0 && whole.run.status === 'completed');
        const lost = pickFrom(keysOf(whole), pick);
        const keys = playLosing(lost, definition, seed).flatMap(keysOf);
        const same = keysOf(whole).some(isInHelper) ? [] : keysOf(whole);
        expect(keys).toEqual(expect.arrayContaining([...same]));
        expect([keys.length, new Set(keys).size]).toEqual([keysOf(whole).length + 1, keysOf(whole).length + 1]);
      }),
      RUNS,
    );
  });
});

describe('for any graph, an edit without values', () => {
  test('for any graph, an edit without values does not change how a run continues', () => {
    fc.assert(
      fc.property(graphs, seeds, moments, (definition, seed, when) => {
        const edited = play(definition, seed, { interject: correctingNothing(when) });
        const plain = play(definition, seed);
        expect([endOf(edited), edited.run.spent, stepsOf(edited)]).toEqual([
          endOf(plain),
          plain.run.spent,
          stepsOf(plain),
        ]);
      }),
      RUNS,
    );
  });

  test('for any graph, an edit without values changes nothing of a run that has ended', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        const { run } = play(definition, seed);
        const signal = { now: STARTED_AT, name: 'edit', payload: { values: {} } };
        const { run: after } = signalEndedRun(compileGraph(definition, randomCatalog), run, signal);
        expect(after).toEqual({ ...run, counters: after.counters, checkpointId: after.checkpointId });
      }),
      RUNS,
    );
  });
});

describe('for any graph, the stored data', () => {
  test('for any graph, the stored data of an ended run are complete', () => {
    fc.assert(
      fc.property(graphs, seeds, moments, (definition, seed, when) => {
        const played = play(definition, seed, { interject: correctingNothing(when) });
        const graph = compileGraph(definition, randomCatalog);
        expect(asReadFromStore(played.run, { graph, checkpoints: checkpointsOf(played) })).toEqual(copyOf(played.run));
      }),
      RUNS,
    );
  });

  test('for any graph, the stored checkpoints of a run can be folded from any of them on', () => {
    fc.assert(
      fc.property(graphs, seeds, seeds, moments, (...[definition, seed, pick, when]) => {
        const checkpoints = checkpointsOf(play(definition, seed, { interject: correctingNothing(when) }));
        const at = checkpoints.indexOf(pickFrom(checkpoints, pick));
        const [before, after] = [checkpoints.slice(0, at), checkpoints.slice(at)];
        expect(foldCheckpoints(after, foldCheckpoints(before))).toEqual(foldCheckpoints(checkpoints));
        expect(foldResumePoints(after, foldResumePoints(before))).toEqual(foldResumePoints(checkpoints));
      }),
      RUNS,
    );
  });
});

test('a run that has ended accepts any signal, or records it as ignored without any other change', () => {
  fc.assert(
    fc.property(graphs, seeds, randomSignal, (definition, seed, { name, payload }) => {
      const { run } = play(definition, seed);
      const given = toObject(payload);
      const after = signalEndedRun(compileGraph(definition, randomCatalog), run, {
        now: STARTED_AT,
        name,
        payload: given,
      });
      const { effects, checkpoints, approvals, hasYielded } = after;
      const { counters, signalResults } = after.run;
      expect(heldBytes(after.run)).toBe(heldBytes(structuredClone(after.run)));
      const isIgnored = after.events.some(({ type }) => type === 'signal.ignored');
      expect(isIgnored ? [{ ...run, counters, signalResults }, [], [], [], false] : null).toEqual(
        isIgnored ? [after.run, effects, checkpoints, approvals, hasYielded] : null,
      );
      const last = hasEnded(after.run) ? after : play(definition, seed, { begin: () => after });
      expect(shown(last.run).error?.code).not.toBe('INTERNAL');
    }),
    RUNS,
  );
});

function withoutOnError({ nodes, ...rest }: GraphDefinition): GraphDefinition {
  const entries = Object.entries(nodes).map(([id, node]): [string, NodeDefinition] => [id, strictly(node)]);
  return { ...rest, nodes: Object.fromEntries(entries) };
}

function strictly(node: NodeDefinition): NodeDefinition {
  if (node.type === 'tool' && isJsonObject(node.args ?? null) && 'fail' in Object(node.args)) return node;
  const { onError: _none, ...strict } = node;
  if (strict.type !== 'subgraph' || typeof strict.graph === 'string') return strict;
  return { ...strict, graph: withoutOnError(strict.graph) };
}

function toObject(payload: unknown): JsonObject {
  return typeof payload === 'object' && payload !== null ? copyOf({ ...payload }) : {};
}
