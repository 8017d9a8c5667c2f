import type { RunEvent, Usage, WaitingFor } from '../graph/journal/index.ts';
import { toRunView } from '../graph/journal/index.ts';
import type { PublicApproval, RunStatus } from '../graph/run/index.ts';
import type { JsonObject, RunError } from '../graph/values/index.ts';
import { isJsonObject } from '../graph/values/index.ts';
import { nodePathOf, superstepsOf } from '../simulation/run-record.ts';
import type { TestMemory } from './test-memory.ts';
import type { TestCall } from '../simulation/run-record.ts';
import type { SimulatedRun } from '../simulation/play.ts';

/** A run that has ended, or waits for somebody. */
export interface TestRun<State = JsonObject> {
  readonly status: RunStatus;
  /** The values of all channels. */
  readonly state: State;
  /** The values of the output channels; `null` unless the run has completed. */
  readonly output: Partial<State> | null;
  /** Why it has failed; `null` unless it has. `node` is the address of the failed node; in a subgraph `outer/inner`. */
  readonly error: RunError | null;
  /** The nodes in the order in which they began; a node inside a subgraph is `outer/inner`. */
  readonly path: readonly string[];
  /** The nodes of each superstep of the graph itself. */
  readonly steps: readonly (readonly string[])[];
  /** Calls of models, tools, functions and node types, in the order in which they were requested. */
  readonly calls: readonly TestCall[];
  /** The approvals that people were asked for, with their decisions. */
  readonly approvals: readonly PublicApproval[];
  /** Approvals, interventions, events and times that it is left waiting for. */
  readonly waitingFor: readonly WaitingFor[];
  /** The history, as `GET /api/runs/{id}/history` answers it to a caller with all permissions. */
  readonly events: readonly RunEvent[];
  /** Calls, tokens and cost, as of a real run. */
  readonly usage: Usage;
  /** Milliseconds by the test's clock. */
  readonly durationMs: number;
  /** What the next run of the same thread begins with; its option `thread`. */
  readonly thread: TestThread;
  /** @throws Error that lists decisions, events and answers of models which the run did not take */
  assertExhausted(): void;
  /**
   * Returns the run with an output that is not `null`.
   * @throws Error that says what the run waits for, or why it has failed
   */
  assertCompleted(): CompletedTestRun<State>;
}

/** A run that has completed. */
export interface CompletedTestRun<State = JsonObject> extends TestRun<State> {
  readonly status: 'completed';
  readonly output: Partial<State>;
  readonly error: null;
}

/** A conversation between two of its runs. */
export interface TestThread {
  readonly id: string;
  /** The number of its runs so far. */
  readonly runs: number;
  /** The status of its last run; the next one begins when it has ended. */
  readonly status: RunStatus;
  /** The channels, as its last run has left them. */
  readonly state: JsonObject;
  /** The entries of long-term memory, by namespace and key. */
  readonly memory: TestMemory;
}

/** Returns the names of what a test gives and its run has not taken. */
export type FindUnusedFakes = () => readonly string[];

/** @param thread its id, and the number of its runs with this one */
export function toTestRun(
  { last: { run }, record, clock }: SimulatedRun,
  thread: Pick<TestThread, 'id' | 'runs' | 'memory'>,
  leftovers: FindUnusedFakes,
): TestRun {
  const { status, output, error: failure, waitingFor, usage } = toRunView(run);
  const { events, calls, approvals } = record;
  const error = failure && atInnermostNode(failure, events);
  const tested: TestRun = {
    status,
    state: run.root.channels,
    output: isJsonObject(output) ? output : null,
    error,
    thread: { ...thread, status, state: run.root.channels },
    path: nodePathOf(events),
    steps: superstepsOf(events),
    calls,
    approvals,
    waitingFor,
    events,
    usage,
    durationMs: clock.now - run.startedAt,
    assertExhausted() {
      const left = leftovers();
      if (left.length > 0) throw new Error(['The run did not take:', ...left.map((line) => `- ${line}`)].join('\n'));
    },
    assertCompleted: () => requireCompleted(tested),
  };
  return tested;
}

/** Returns the error with the address of the innermost node that has failed with it. */
function atInnermostNode(error: RunError, events: readonly RunEvent[]): RunError {
  const addresses = events.flatMap((event) =>
    event.type === 'node.failed' && event.error.code === error.code && event.error.message === error.message
      ? [[...(event.path ?? []), event.node].join('/')]
      : [],
  );
  const inner = addresses.filter((address) => address.startsWith(`${error.node}/`));
  const [node] = inner.toSorted((a, b) => b.length - a.length);
  return node === undefined ? error : { ...error, node };
}

function requireCompleted(run: TestRun): CompletedTestRun {
  const { status, output, error, waitingFor } = run;
  if (status === 'completed' && output !== null) return { ...run, status, output, error: null };
  const at = error?.node === undefined ? '' : ` at ${error.node}`;
  const why = error
    ? `${at}: ${error.code} ${error.message}`
    : waitingFor.map(({ kind, node }) => `; ${node} waits for ${WAITS_FOR[kind]}`).join('');
  throw new Error(`The run is ${status}${why}`, { cause: error });
}

const WAITS_FOR = {
  approval: 'an approval',
  intervention: 'an intervention',
  event: 'an event',
  timer: 'a timer',
} as const;
