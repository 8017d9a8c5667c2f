import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { RunEvent } from '../../src/graph/journal/events.ts';
import { heldBytes } from '../../src/graph/run/held-bytes.ts';
import type { Run } from '../../src/graph/run/run.ts';
import { isJsonObject } from '../../src/graph/values/json.ts';
import { randomCatalog, randomGraph } from '../support/builders/random-graphs.ts';
import { randomSignal } from '../support/builders/random-signals.ts';
import type { RandomSignal } from '../support/builders/random-signals.ts';
import { createRandom } from '../support/builders/random.ts';
import { repetitions } from '../support/builders/repetitions.ts';
import { nextByRules } from '../support/readers/next-by-rules.ts';
import { shown } from '../support/readers/shown-run.ts';
import { runShuffled } from '../support/readers/shuffled-run.ts';
import type { ShuffledRun, ShuffledRunOptions } from '../support/readers/shuffled-run.ts';

const graphs = randomGraph(2, 5);
const seeds = fc.integer({ min: 0, max: 2 ** 31 });

/** Enough to combine every kind of node and edge with every other, in a few seconds. */
const RUNS = { numRuns: repetitions(150) };

function play(definition: GraphDefinition, seed: number, over: Partial<ShuffledRunOptions> = {}): ShuffledRun {
  const random = createRandom(seed);
  const choose = (count: number): number => Math.floor(random.next() * count);
  return runShuffled({ definition, catalog: randomCatalog, choose, ...over });
}

const eventsOf = ({ steps }: ShuffledRun): readonly RunEvent[] => steps.flatMap(({ events }) => events);
const anyOrder = (texts: readonly unknown[]): readonly string[] => texts.map((text) => JSON.stringify(text)).toSorted();

/** Returns what must not depend on the order of outside occurrences. */
function resultOf(played: ShuffledRun): unknown {
  const { status, output, error, root, spent } = played.run;
  const started = eventsOf(played).filter((event) => event.type === 'step.started');
  const own = started.filter(({ path }) => !path);
  const inside = started.filter(({ path }) => path);
  return {
    status,
    output,
    error,
    channels: root.channels,
    spent,
    steps: own.map(({ nodes }) => nodes),
    inside: anyOrder(inside.map(({ path, step, nodes }) => [path, step, nodes])),
  };
}

describe('for any graph', () => {
  test('for any graph, the order of answers of calls, timers and people does not change the result', () => {
    fc.assert(
      fc.property(graphs, seeds, seeds, (definition, one, other) => {
        expect(resultOf(play(definition, one))).toEqual(resultOf(play(definition, other)));
      }),
      RUNS,
    );
  });

  test('for any graph, a run that is stored and read by another process continues unchanged', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        const stored: ShuffledRunOptions['carry'] = (_graph, run) => [
          compileGraph(copyOf(definition), randomCatalog),
          copyOf(run),
        ];
        const here = play(definition, seed);
        const there = play(definition, seed, { carry: stored });
        expect(there.occurrences).toEqual(here.occurrences);
        expect(copyOf(eventsOf(there))).toEqual(copyOf(eventsOf(here)));
        expect(copyOf(there.run)).toEqual(copyOf(here.run));
      }),
      RUNS,
    );
  });

  test('for any graph, the order of keys in the definition does not change the result', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        expect(resultOf(play(turned(definition), seed))).toEqual(resultOf(play(definition, seed)));
      }),
      RUNS,
    );
  });

  test('for any graph, each superstep runs exactly the nodes that the edges lead to, within the limit', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        const played = play(definition, seed);
        const events = eventsOf(played).filter(({ path }) => !path);
        const steps = events.flatMap((event) => (event.type === 'step.started' ? [event.nodes] : []));
        expect(steps.length).toBeLessThanOrEqual(definition.limits?.maxSteps ?? 0);
        const checkpoints = played.steps.flatMap((step) => step.checkpoints);
        const predicted = nextByRules(definition, { events, checkpoints });
        const isCut = played.run.status === 'failed';
        expect(predicted.length - steps.length).toBeLessThanOrEqual(isCut ? 1 : 0);
        expect(steps).toEqual(isCut ? predicted.slice(0, steps.length) : predicted);
      }),
      RUNS,
    );
  });

  test('for any graph, every triggered node starts and ends, inside subgraphs too, unless a sibling has failed', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        const played = play(definition, seed);
        const events = eventsOf(played);
        const started = events.flatMap((event) => (event.type === 'node.started' ? [locationOf(event)] : []));
        const ended = events.flatMap((event) => (ENDINGS.has(event.type) ? [locationOf(event)] : []));
        expect(new Set(ended)).toEqual(new Set(started));
        const triggered = events.flatMap((event) =>
          event.type === 'step.started'
            ? event.nodes.map((node) => JSON.stringify([event.path ?? [], event.step, node]))
            : [],
        );
        const failed = new Set(
          events.flatMap((event) => (event.type === 'node.failed' ? [superstepOf(locationOf(event))] : [])),
        );
        const notStarted = triggered.filter((place) => !started.includes(place));
        expect(notStarted.filter((place) => !failed.has(superstepOf(place)))).toEqual([]);
      }),
      RUNS,
    );
  });

  test('for any graph, the events of a run are numbered without gaps', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        const played = play(definition, seed);
        expect(eventsOf(played).map(({ seq }) => seq)).toEqual(eventsOf(played).map((_, at) => at + 1));
      }),
      RUNS,
    );
  });

  test('for any graph, every call has a unique key, and every timer a unique id', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        const effects = play(definition, seed).steps.flatMap((step) => step.effects);
        const keys = effects.flatMap((effect) => (effect.kind === 'call' ? [effect.key] : []));
        const ids = effects.flatMap((effect) => (effect.kind === 'timer' ? [effect.id] : []));
        expect([new Set(keys).size, new Set(ids).size]).toEqual([keys.length, ids.length]);
      }),
      RUNS,
    );
  });

  test('for any graph, the ids of messages do not depend on which of two subgraphs ends first', () => {
    const graph: GraphDefinition = {
      name: 'talks',
      channels: { chat: { reducer: 'messages' }, who: {} },
      nodes: {
        work: { type: 'tool', tool: 'work', args: { give: 'x' } },
        say: { type: 'set', write: { chat: { role: 'user', content: 'hello' } } },
      },
      edges: [
        { from: '__start__', to: 'work' },
        { from: 'work', to: 'say' },
      ],
      output: ['chat'],
    };
    const node = { type: 'subgraph', graph, write: { log: '{{ result.chat }}' } } as const;
    const definition: GraphDefinition = {
      name: 'two',
      channels: { log: { reducer: 'append' } },
      nodes: { a: node, b: node },
      edges: [{ from: '__start__', to: ['a', 'b'] }],
    };
    const [first, second] = [0, 1].map((end) =>
      runShuffled({ definition, catalog: randomCatalog, choose: (count) => end * (count - 1) }),
    );
    expect(second?.run.output).toEqual(first?.run.output);
  });

  test('for any graph, the memoized sizes of a run equal the measured ones', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        const { steps } = play(definition, seed);
        for (const { run } of steps) expect(heldBytes(run)).toBe(heldBytes(copyOf(run)));
      }),
      RUNS,
    );
  });

  test('for any graph, the interpreter never throws an internal error', () => {
    fc.assert(
      fc.property(graphs, seeds, (definition, seed) => {
        const { run, steps } = play(definition, seed);
        expect(run.error?.code).not.toBe('INTERNAL');
        expect(run).toMatchObject({ timers: {}, calls: {} });
        for (const { events } of steps) expect(events.map(({ type }) => type)).not.toContain('signal.ignored');
      }),
      RUNS,
    );
  });
});

describe('for any signal', () => {
  test('any signal is accepted, or recorded as ignored without any other change', () => {
    fc.assert(
      fc.property(
        graphs,
        seeds,
        fc.array(randomSignal, { minLength: 1, maxLength: 8 }),
        (...[definition, seed, all]) => {
          const signals = [...all];
          play(definition, seed, {
            interject: () => {
              const body = signals.pop();
              if (!body) return null;
              return {
                body,
                check: (before, { run, events }) => {
                  expect(shown(run).error?.code).not.toBe('INTERNAL');
                  expect(heldBytes(run)).toBe(heldBytes(copyOf(run)));
                  const isIgnored = events.some(({ type }) => type === 'signal.ignored');
                  const isNoted = isIgnored || events.length > 0 || hasKnownId(body, before) || SILENT.has(body.name);
                  expect(isNoted).toBe(true);
                  expect(isIgnored ? [events.length, standing(run)] : []).toEqual(
                    isIgnored ? [1, standing(before)] : [],
                  );
                },
              };
            },
          });
        },
      ),
      RUNS,
    );
  });

  test.each(['resume', 'event', 'skip', 'approve', 'replan', 'nonsense'])(
    'deeply nested values in the signal %s are accepted',
    (name) => {
      const definition: GraphDefinition = {
        name: 'waits',
        channels: { log: { reducer: 'append' } },
        nodes: { ask: { type: 'approval', title: 'yes' } },
        edges: [{ from: '__start__', to: 'ask' }],
      };
      const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
      const payloads = [
        deep,
        { values: { log: deep } },
        { args: deep },
        { output: deep },
        { event: 'e', payload: deep },
      ];
      play(definition, 1, {
        interject: () => {
          const payload = payloads.pop();
          if (payload === undefined) return null;
          const check = (_: Run, { run }: { run: Run }): void => expect(shown(run).error).toBeNull();
          return { body: { kind: 'signal', name, payload }, check };
        },
      });
    },
  );
});

/** True if the id of the decision is known, so it is not processed again. */
function hasKnownId({ payload }: RandomSignal, { signalResults }: Run): boolean {
  const id = isJsonObject(payload) ? payload['signalId'] : undefined;
  return signalResults.some((result) => result.id === id);
}

/** Signals that emit no event when they are accepted. */
const SILENT: ReadonlySet<string> = new Set(['pause', 'cancel']);

const ENDINGS: ReadonlySet<string> = new Set(['node.completed', 'node.failed', 'node.skipped']);

function locationOf(event: RunEvent): string {
  return JSON.stringify([event.path ?? [], event.step, 'node' in event ? event.node : null]);
}

/** Returns the graph and the number of the superstep of a location. */
function superstepOf(place: string): string {
  return JSON.stringify(JSON.parse(place).slice(0, 2));
}

/** Returns a run without its counters, its computed units and its signal results. */
function standing({ counters: _counters, signalResults: _signalResults, computed: _computed, ...rest }: Run): unknown {
  return rest;
}

function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** Returns the definition with its nodes and channels in reverse order. */
function turned(definition: GraphDefinition): GraphDefinition {
  const turn = <T>(record: Readonly<Record<string, T>> = {}): Record<string, T> =>
    Object.fromEntries(Object.entries(record).toReversed());
  return { ...definition, nodes: turn(definition.nodes), channels: turn(definition.channels) };
}
