import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReplayLog, RecordedAnswer } from '../../../../src/graph/replay/replay-log.ts';
import { replayRecordedRun } from '../../../../src/graph/replay/replay.ts';
import type { ReplayedRun } from '../../../../src/graph/replay/replay.ts';
import { signalEndedRun } from '../../../../src/graph/advance/advance.ts';
import { startRun } from '../../../../src/graph/advance/begin-run.ts';
import type { RunIdentity } from '../../../../src/graph/advance/begin-run.ts';
import { compileShared } from '../../../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import type { Occurrence } from '../../../../src/graph/run/occurrence.ts';
import { statusOf } from '../../../../src/graph/run/status.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { randomCatalog, randomGraph } from '../../../support/builders/random-graphs.ts';
import { randomSignal } from '../../../support/builders/random-signals.ts';
import { createRandom } from '../../../support/builders/random.ts';
import { repetitions } from '../../../support/builders/repetitions.ts';
import { shown } from '../../../support/readers/shown-run.ts';
import { runShuffled, STARTED_AT } from '../../../support/readers/shuffled-run.ts';
import type { ShuffledRun, Shuffling } from '../../../support/readers/shuffled-run.ts';

/** A run with what its replay begins with. */
interface Played extends ShuffledRun {
  readonly definition: GraphDefinition;
  readonly identity: RunIdentity;
}

function play(definition: GraphDefinition, seed: number, interject?: Shuffling['interject']): Played {
  const random = createRandom(seed);
  const identities: RunIdentity[] = [];
  const played = runShuffled({
    definition,
    catalog: randomCatalog,
    choose: (count) => Math.floor(random.next() * count),
    begin: (graph, identity) => {
      identities.push(identity);
      return startRun(graph, identity, { input: {}, startedAt: STARTED_AT });
    },
    ...(interject && { interject }),
  });
  const [identity] = identities;
  if (!identity) throw new Error('The run was not begun');
  return { ...played, definition, identity };
}

/** Returns what the store would contain of a run. */
function logOf({ steps, occurrences }: Pick<Played, 'steps' | 'occurrences'>): ReplayLog {
  return {
    events: steps.flatMap(({ events }) => events),
    occurrences: steps.flatMap((step) => step.occurrences),
    answers: new Map(occurrences.flatMap((occurrence) => answerIn(occurrence))),
  };
}

function answerIn(occurrence: Occurrence): [string, RecordedAnswer][] {
  if (occurrence.kind === 'call.completed') {
    const { key, reply, attempts } = occurrence;
    return [[key, { result: toJson(reply), failure: null, failures: attempts - 1 }]];
  }
  if (occurrence.kind !== 'call.failed') return [];
  return [[occurrence.key, { result: null, failure: occurrence.failure, failures: 1 }]];
}

async function replayOf(
  played: Pick<Played, 'definition' | 'identity' | 'steps' | 'occurrences'>,
  definition = played.definition,
): Promise<ReplayedRun> {
  const graph = compileShared(definition, randomCatalog);
  return replayRecordedRun({
    graph,
    identity: played.identity,
    begin: { kind: 'input', input: {} },
    log: logOf(played),
  });
}

const works = { type: 'tool', tool: 'work', args: { give: 'x' }, write: { log: '{{ result }}' } } as const;
const naps = { type: 'wait', for: '5s' } as const;
const adds = { type: 'set', write: { log: 'more' } } as const;
const noDivergence = { divergence: null };

describe('a replay', () => {
  test('repeats its run for random graphs, signals and orders', async () => {
    const signals = fc.array(randomSignal, { maxLength: 6 });
    const seeds = fc.integer({ min: 0, max: 2 ** 31 });
    await fc.assert(
      fc.asyncProperty(randomGraph(2, 5), seeds, signals, async (...[definition, seed, given]) => {
        const left = [...given];
        const played = play(definition, seed, () => {
          const body = left.pop();
          return body ? { body, check: () => undefined } : null;
        });
        const { run, divergence, occurrences } = await replayOf(played);
        expect(divergence).toBeNull();
        expect(shown(run)).toEqual(played.run);
        expect(occurrences).toEqual(logOf(played).occurrences);
      }),
      { numRuns: repetitions(100) },
    );
  });

  test('yields where its run yielded', async () => {
    const large = { type: 'set', write: { log: 'x'.repeat(300_000) } } as const;
    const nodes = { a: large, b: large, c: large, d: large, t: works, e: large, f: large, g: large, h: large };
    const played = play(aDefinition({ nodes }), 1);
    expect(played.steps.filter(({ hasYielded }) => hasYielded).length).toBeGreaterThan(1);
    expect(await replayOf(played)).toMatchObject({ ...noDivergence, run: { phase: { kind: 'completed' } } });
  });

  test('reopens as its run did', async () => {
    const played = play(aDefinition({ nodes: { t: { ...works, args: { fail: 'no' } }, a: adds } }), 1);
    const graph = compileShared(played.definition, randomCatalog);
    const skip = { name: 'skip', payload: { node: 't', output: 'skipped', by: { sub: 'ada', roles: ['approver'] } } };
    const step = signalEndedRun(graph, played.run, { ...skip, now: STARTED_AT + 60_000 });
    expect([played.run.status, statusOf(step.run)]).toEqual(['failed', 'completed']);
    const { run, divergence } = await replayOf({ ...played, steps: [...played.steps, step] });
    expect([divergence, shown(run)]).toEqual([null, shown(step.run)]);
  });

  test('of another graph ends the same calls and timers as recorded', async () => {
    const played = play(aDefinition({ nodes: { nap: naps, t: works } }), 1);
    const other = aDefinition({ nodes: { a: adds, nap: naps, t: works, z: adds } });
    const { run, divergence } = await replayOf(played, other);
    expect(divergence).toMatchObject({ actual: { type: 'checkpoint.saved', next: ['a'] } });
    expect(shown(run)).toMatchObject({ status: 'completed', root: { channels: { log: ['more', 'x', 'more'] } } });
  });

  test('of another graph uses the last result of a retried call', async () => {
    const lost = { callFailed: false, error: { code: 'UNKNOWN_OUTCOME', message: 'Who knows' } } as const;
    const [key, at, seq] = ['run-1:t:1:0:0', STARTED_AT, 1];
    const played = play(aDefinition({ nodes: { t: works } }), 1);
    const { events, answers } = logOf(played);
    const log: ReplayLog = {
      events,
      answers,
      occurrences: [
        { kind: 'call.failed', key, failure: lost, number: 1, seq, at },
        { kind: 'call.completed', key, number: 2, seq, at },
      ],
    };
    const graph = compileShared(aDefinition({ nodes: { a: adds, t: works } }), randomCatalog);
    const begin = { kind: 'input', input: {} } as const;
    const { run } = replayRecordedRun({ graph, identity: played.identity, begin, log });
    expect(shown(run)).toMatchObject({ status: 'completed', root: { channels: { log: ['more', 'x'] } } });
  });

  test('of another graph stops where no recorded occurrence continues it', async () => {
    const played = play(aDefinition({ nodes: { a: adds } }), 1);
    const { run, divergence } = await replayOf(played, aDefinition({ nodes: { a: adds, t: works } }));
    expect(shown(run)).toMatchObject({ status: 'running', calls: { 'run-1:t:1:0:0': {} } });
    expect(divergence).toMatchObject({ expected: { type: 'checkpoint.saved', next: [] } });
  });
});
