import { beginRun } from '../../graph/advance/index.ts';
import type { RunIdentity } from '../../graph/advance/index.ts';
import type { CompiledGraph } from '../../graph/compile/index.ts';
import { toRunView } from '../../graph/journal/index.ts';
import type { WaitingFor } from '../../graph/journal/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { OccurrenceBody, RunStatus } from '../../graph/run/index.ts';
import type { Json, JsonObject, RunError } from '../../graph/values/index.ts';
import type { Decision } from '../answers.ts';
import { CallPlayer } from '../call-player.ts';
import type { Pace } from '../pace.ts';
import { pathOf, stepsOf } from '../path-of.ts';
import { planOutside } from '../plan-outside.ts';
import { play, timeOutsOfOpenApprovals } from '../play.ts';
import type { Play } from '../play.ts';
import type { TestEvent } from '../run-options.ts';
import { RunRecord } from '../run-record.ts';
import { createTimeline } from '../timeline.ts';
import { findMismatch } from './expected-way.ts';
import type { ExpectedWay } from './expected-way.ts';
import type { Mismatch } from './mismatch.ts';
import { createScriptedCalls, MissingOutputError } from './scripted-outputs.ts';
import type { NodeOutputs } from './scripted-outputs.ts';

/** A test of a graph that is plain JSON: what its run meets, and what is expected of it. */
export interface OutputsTest {
  readonly input: JsonObject;
  readonly outputs: NodeOutputs;
  readonly decisions: readonly Decision[];
  readonly events: readonly TestEvent[];
  readonly expect: ExpectedWay;
}

/** How the run of a test has gone, until it ended or lacked something. */
export interface TestedRun {
  readonly status: RunStatus;
  /** The nodes in the order in which they begin; a node inside a subgraph is `outer/inner`. */
  readonly path: readonly string[];
  /** The nodes of each superstep of the graph itself. */
  readonly steps: readonly (readonly string[])[];
  /** The values of all channels. */
  readonly state: JsonObject;
  readonly output: Json;
  readonly error: RunError | null;
  /** `null`: the script has all that the run wants, and the run goes as expected. */
  readonly mismatch: Mismatch | null;
}

interface Given {
  readonly identity: RunIdentity;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly test: OutputsTest;
}

/**
 * Runs a graph in memory with the outputs of its nodes. Time skips; a wait for an event ends by its time-out only if a
 * decision `timeout` at its node says so.
 * @throws TypeError for a delay of a decision or an event that is no duration
 */
export async function playOutputs(graph: CompiledGraph, { identity, now, test }: Given): Promise<TestedRun> {
  const run = toPlay(graph, { identity, now, test });
  const missing = await untilMissing(run);
  const { status, output, error, waitingFor } = toRunView(run.last.run);
  const way = { path: pathOf(run.record.events), state: run.last.run.root.channels };
  const lacking = missing ?? (isEnded(status) ? null : toMismatch(waitingFor));
  const { path, state } = way;
  const steps = stepsOf(run.record.events);
  return { status, path, steps, state, output, error, mismatch: lacking ?? findMismatch(test.expect, way) };
}

function toPlay(graph: CompiledGraph, { identity, now, test }: Given): Play {
  const pace: Pace = { now, delayMs: 0, missing: null };
  const timeline = createTimeline<OccurrenceBody>();
  const record = new RunRecord();
  const { id: runId, tenantId, graph: ran, createdBy } = identity;
  const calls = new CallPlayer({
    toCall: createScriptedCalls(test.outputs, graph.catalog),
    owner: { runId, tenantId, graph: ran.name, createdBy },
    pace,
    timeline,
    onAttempt: (key) => record.addAttempt(key),
  });
  planOutside(timeline, { options: test, by: createdBy, start: now });
  const endingWaits = new Set(test.decisions.flatMap(({ decision, node }) => (decision === 'timeout' ? [node] : [])));
  return {
    graph,
    last: beginRun(graph, identity, { begin: { kind: 'input', input: test.input }, now }),
    pace,
    timeline,
    calls,
    record,
    decisions: [...test.decisions],
    answered: new Set(),
    heldTimers: (run) => new Set([...timeOutsOfOpenApprovals(run), ...timersBesideEvents(run, endingWaits)]),
  };
}

/** All timers while the run waits for an event, and time alone does not let it go on. */
function timersBesideEvents({ last: { run } }: Play, endingWaits: ReadonlySet<string>): readonly string[] {
  const { waitingFor } = toRunView(run);
  const isHeld = waitingFor.some(({ kind }) => kind === 'event');
  const goesOn = waitingFor.some(({ kind, node }) => kind === 'timer' || (kind === 'event' && endingWaits.has(node)));
  return isHeld && !goesOn ? Object.keys(run.timers) : [];
}

async function untilMissing(run: Play): Promise<Mismatch | null> {
  try {
    await play(run);
    return null;
  } catch (error) {
    if (!(error instanceof MissingOutputError)) throw error;
    const { node, message } = error;
    return { kind: 'output', node, message, expected: 'an output', actual: null };
  }
}

const EXPECTED: Readonly<Record<Exclude<WaitingFor['kind'], 'timer'>, (waiting: WaitingFor) => Expected>> = {
  approval: ({ node }) => ({
    message: `The node "${node}" waits for an approval, and no decision fits`,
    expected: ['approve', 'reject', 'timeout'],
  }),
  intervention: ({ node }) => ({
    message: `The node "${node}" has failed and waits for an intervention, and no decision fits`,
    expected: ['retry', 'skip', 'fail'],
  }),
  event: ({ node, id = '' }) => ({
    message: `The node "${node}" waits for the event "${id}", which does not come`,
    expected: id,
  }),
};

type Expected = Pick<Mismatch, 'message' | 'expected'>;

/** Names the first thing that a run waits for. */
function toMismatch(waitingFor: readonly WaitingFor[]): Mismatch {
  for (const waiting of waitingFor) {
    const { kind, node } = waiting;
    if (kind !== 'timer') return { kind, node, ...EXPECTED[kind](waiting), actual: null };
  }
  const message = 'The run pauses, and a test has no one who resumes it';
  return { kind: 'pause', node: null, message, expected: null, actual: null };
}
