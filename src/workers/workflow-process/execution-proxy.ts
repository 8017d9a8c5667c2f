import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface.js';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { PLAYED_ANEW } from '../../workflows/contract.ts';
import type { ExecutionProgress } from './execution-progress.ts';
import type { HeavyExecutions } from './heavy-executions.ts';
import type { SentSinkCall } from './messages.ts';
import type { RestartableExecution } from './restartable-execution.ts';
import type { ExecutionObserver } from './task-observer.ts';

type SinkCall = Awaited<ReturnType<Workflow['getAndResetSinkCalls']>>[number];

const { WorkflowActivation } = proto.coresdk.workflow_activation;
const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;

interface ProxyDeps {
  readonly code: RestartableExecution;
  /** The process that runs the code. */
  readonly home: { readonly isHeavy: boolean; readonly isAlone: boolean };
  readonly progress: ExecutionProgress;
  readonly heavyExecutions: HeavyExecutions;
  readonly observer: ExecutionObserver;
}

/** Creates a workflow for the SDK whose code runs in another process. */
export function createExecutionProxy(
  { code, home, progress, heavyExecutions, observer }: ProxyDeps,
  executionRunId: string,
): Workflow {
  let sinkCalls: SinkCall[] = [];
  let hasBegun = false;
  const mustMove = (activation: ActivationInput): boolean =>
    hasBegun &&
    !home.isHeavy &&
    !home.isAlone &&
    heavyExecutions.isHeavy(executionRunId) &&
    !progress.hasOpenLocalCalls() &&
    mayRestart(activation);
  return {
    async activate(activation) {
      if (!(await progress.mayActivate(activation))) return toCacheReset(executionRunId, AHEAD);
      if (mustMove(activation)) return toCacheReset(executionRunId, HEAVY);
      const encoded = WorkflowActivation.encode(activation).finish();
      const request = { kind: 'activate' as const, executionRunId, activation: encoded };
      heavyExecutions.addActivation(executionRunId, encoded.length);
      hasBegun = true;
      const isReplay = isReplayActivation(activation);
      const answering = code.send(request, isReplay);
      const answer = await reportLongWait(answering, () => observer.waits(executionRunId));
      if (answer.kind === 'forgotten') return toCacheReset(executionRunId, FORGOTTEN);
      if (answer.kind !== 'activated') throw new TypeError('An activation was answered by nothing');
      const workedMs = activation.isReplaying === true ? 0 : answer.workedMs;
      heavyExecutions.addTask(executionRunId, { bytes: answer.completion.length, workedMs });
      sinkCalls = answer.sinkCalls.map(toSinkCall);
      const completion = WorkflowActivationCompletion.decode(answer.completion);
      progress.completed(completion);
      if (completion.failed)
        observer.failed(executionRunId, { by: 'code', reason: completion.failed.failure?.message ?? '', proofs: 1 });
      if (!isReplay && !progress.hasOpenLocalCalls()) await code.leaveExclusiveProcess();
      return completion;
    },
    async getAndResetSinkCalls() {
      const calls = sinkCalls;
      sinkCalls = [];
      return await Promise.resolve(calls);
    },
    async dispose() {
      heavyExecutions.evict(executionRunId, home.isHeavy);
      await code.sendLast({ kind: 'dispose', executionRunId });
    },
  };
}

type ActivationInput = Parameters<Workflow['activate']>[0];

/** Returns false while a restart would fail a query, or repeat local calls. */
function mayRestart({ jobs, isReplaying }: ActivationInput): boolean {
  const needsProcess = (jobs ?? []).some(
    ({ queryWorkflow, resolveActivity }) => queryWorkflow ?? resolveActivity?.isLocal,
  );
  return !needsProcess && isReplaying !== true;
}

const HEAVY = `${PLAYED_ANEW}: it keeps others waiting, and goes on in another process`;

/** Core also marks queries as replays, but these arrive when a replay is over. */
function isReplayActivation({ isReplaying, jobs }: ActivationInput): boolean {
  return isReplaying === true && jobs?.some(({ queryWorkflow }) => queryWorkflow) !== true;
}

const FORGOTTEN = `${PLAYED_ANEW}: it was no longer in memory, as others needed the room`;
const AHEAD = `${PLAYED_ANEW}: it was played beyond what a workflow task has brought, or otherwise than a replay would`;

/** Makes Temporal schedule the task again with the whole history; a query fails. */
function toCacheReset(runId: string, message: string): coresdk.workflow_completion.IWorkflowActivationCompletion {
  return { runId, failed: { failure: { message }, forceCause: RESET_STICKY } };
}

const RESET_STICKY =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE;

function toSinkCall({ workflowInfo, args, ...call }: SentSinkCall): SinkCall {
  const { unsafe, ...info } = workflowInfo;
  const random = createUnsafeRandomSource(Math.random);
  return { ...call, args: [...args], workflowInfo: { ...info, unsafe: { ...unsafe, now: Date.now, random } } };
}

/** Temporal waits 30 s for a task. The process of code that takes this long is ended before. */
const WAITS_LONG_MS = 20_000;

/** Waits for the answer to a task. @param onLongWait is called once if the wait is so long that the task will time out */
export async function reportLongWait<Answer>(answer: Promise<Answer>, onLongWait: () => void): Promise<Answer> {
  const timer = setTimeout(onLongWait, WAITS_LONG_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
