import type { WorkflowHandle } from '@temporalio/client';
import { vi } from 'vitest';
import type { RunView } from '../../../src/graph/journal/run-view.ts';
import type { Approval } from '../../../src/graph/run/approval.ts';
import { QUERIES, RUN_GRAPH, TASK_QUEUE, toWorkflowId } from '../../../src/workflows/contract.ts';
import type { RunGraphInput } from '../../../src/workflows/contract.ts';
import type { AnsweringWorker, ReceivedCalls } from '../servers/answering-worker.ts';
import type { HistoryEvent } from './executions.ts';
import { possibleSignals } from './shuffled-run.ts';

/*
 * Runs a graph on a real server to its end, one occurrence at a time: the next call answers, or the next person acts,
 * once the run is idle. So two runs with equal choices behave equally, independent of timing.
 */

export interface SteeredRun {
  readonly handle: WorkflowHandle;
  readonly received: ReceivedCalls;
  /** The workflow's view before each choice, and the choice. */
  readonly choices: readonly (readonly [RunView, string])[];
  /** The number of times that it was idle without open calls before its end. */
  readonly idleTimes: number;
}

/** The state of an idle run. */
interface Standstill {
  readonly view: RunView;
  /** The keys of the calls that it waits for. */
  readonly calls: readonly string[];
  readonly possible: readonly Possible[];
}

interface Possible {
  readonly name: string;
  readonly happen: () => unknown;
}

/** @param choose selects one of the given number of possible occurrences */
export async function steerRun(
  { temporal, receivedOf }: AnsweringWorker,
  input: RunGraphInput,
  choose: (count: number) => number,
): Promise<SteeredRun> {
  const workflowId = toWorkflowId(input.identity);
  const handle = await temporal.workflow.start(RUN_GRAPH, { workflowId, taskQueue: TASK_QUEUE, args: [input] });
  const received = receivedOf(workflowId);
  const choices: [RunView, string][] = [];
  let idleTimes = 0;
  let wasQuiet = false;
  for (;;) {
    const still = await untilStill(handle, received);
    if (!still) return { handle, received, choices, idleTimes };
    if (wasQuiet) idleTimes += 1;
    const { view, calls, possible } = still;
    const chosen = possible[choose(possible.length)];
    if (!chosen) throw new Error(`The run is stuck: ${JSON.stringify(view)}`);
    choices.push([view, chosen.name]);
    wasQuiet = calls.every((key) => key === chosen.name);
    await chosen.happen();
  }
}

/** Waits until the run depends only on calls and people. @returns `null` when it has ended */
async function untilStill(handle: WorkflowHandle, received: ReceivedCalls): Promise<Standstill | null> {
  const look = async (): Promise<Standstill | null> => {
    const found = await lookAt(handle, received);
    if (found) return found.still;
    throw new Error('Something moves in the run');
  };
  return await vi.waitFor(look, { interval: 10, timeout: 60_000 });
}

/** @returns `null` while the run is not idle */
async function lookAt(
  handle: WorkflowHandle,
  received: ReceivedCalls,
): Promise<{ readonly still: Standstill | null } | null> {
  const { status, raw, historyLength } = await handle.describe();
  if (status.name !== 'RUNNING') return { still: null };
  const calls = callsOut(raw, received);
  if (!calls || raw.pendingWorkflowTask || historyLength < FIRST_TASK) return null;
  const { events } = await handle.fetchHistory();
  // A busy workflow may not answer a query in time, so it is queried only when it is idle.
  if (events?.length !== historyLength || hasShortTimer(events)) return null;
  const view = await handle.query<RunView>(QUERIES.status);
  const approvals = await handle.query<readonly Approval[]>(QUERIES.approvals);
  const answers = calls.map((key): Possible => ({ name: key, happen: () => letAnswer(received, key) }));
  const signals = possibleSignals(view, approvals).map(({ name, payload }): Possible => ({
    name: `${name} ${JSON.stringify(payload)}`,
    happen: async () => await handle.signal(name, payload),
  }));
  return { still: { view, calls, possible: [...answers, ...signals] } };
}

/** The events of an execution with one workflow task; a continued execution may have to wait for that task. */
const FIRST_TASK = 4;

/** True if a timer is about to fire: durations are either some milliseconds, or hours. */
function hasShortTimer(events: readonly HistoryEvent[]): boolean {
  const over = new Set(
    events.map((event) => String((event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes)?.timerId)),
  );
  return events.some(({ timerStartedEventAttributes: started }) => {
    const isShort = Number(started?.startToFireTimeout?.seconds ?? 0) === 0;
    return started && isShort && !over.has(String(started.timerId));
  });
}

type Raw = Awaited<ReturnType<WorkflowHandle['describe']>>['raw'];

/** The value of Temporal's `PENDING_ACTIVITY_STATE_CANCEL_REQUESTED`. */
const CALLED_BACK = 3;

/** @returns the keys of the calls that the workflow waits for; `null` if anything else is in progress */
function callsOut({ pendingActivities }: Raw, { out }: ReceivedCalls): readonly string[] | null {
  const pending = pendingActivities ?? [];
  if (pending.some(({ activityId }) => !out.has(activityId ?? ''))) return null;
  // A canceled model call gets no answer.
  const awaited = pending.filter(
    ({ state, activityType }) => Number(state) !== CALLED_BACK || activityType?.name !== 'callModel',
  );
  return awaited.map(({ activityId }) => activityId ?? '').toSorted();
}

function letAnswer({ out }: ReceivedCalls, key: string): void {
  const answer = out.get(key);
  out.delete(key);
  answer?.();
}
