import type { RunEvent, Usage, WaitingFor } from '../graph/journal/index.ts';
import { toRunView } from '../graph/journal/index.ts';
import type { PublicApproval, RunStatus } from '../graph/run/index.ts';
import type { JsonObject, RunError } from '../graph/values/index.ts';
import { isJsonObject } from '../graph/values/index.ts';
import { nodePathOf, superstepsOf } from '../simulation/run-record.ts';
import type { TestCall } from '../simulation/run-record.ts';
import type { SimulatedRun } from '../simulation/play.ts';

/** A run that has ended, or waits for somebody. */
export interface TestRun<State = JsonObject> {
  readonly status: RunStatus;
  /** The values of all channels. */
  readonly state: State;
  /** The values of the output channels; `null` unless the run has completed. */
  readonly output: Partial<State> | null;
  /** Why it has failed; `null` unless it has. */
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
  /** @throws Error that lists decisions, events and answers of models which the run did not take */
  assertExhausted(): void;
}

/** Returns the names of what a test gives and its run has not taken. */
export type FindUnusedFakes = () => readonly string[];

export function toTestRun({ last: { run }, record, clock }: SimulatedRun, leftovers: FindUnusedFakes): TestRun {
  const { status, output, error, waitingFor, usage } = toRunView(run);
  const { events, calls, approvals } = record;
  return {
    status,
    state: run.root.channels,
    output: isJsonObject(output) ? output : null,
    error,
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
  };
}
