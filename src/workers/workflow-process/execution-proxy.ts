import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface.js';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { PLAYED_ANEW } from '../../workflows/contract.ts';
import type { ExecutionStanding } from './execution-standing.ts';
import type { HeavyExecutions } from './heavy-executions.ts';
import type { SentSinkCall } from './messages.ts';
import type { RestartableExecution } from './restartable-execution.ts';
import type { ExecutionObserver } from './task-observer.ts';

type SinkCall = Awaited<ReturnType<Workflow['getAndResetSinkCalls']>>[number];

const { WorkflowActivation } = proto.coresdk.workflow_activation;
const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;

interface ProxyDeps {
  readonly code: RestartableExecution;
  /** The process that has the code, once it has it. */
  readonly home: { readonly isHeavy: boolean; readonly isAlone: boolean };
  readonly standing: ExecutionStanding;
  readonly heavyOnes: HeavyExecutions;
  readonly observer: ExecutionObserver;
}

/** Makes a workflow as the worker knows it; its code is in a process. */
export function createExecutionProxy(
  { code, home, standing, heavyOnes, observer }: ProxyDeps,
  executionRunId: string,
): Workflow {
  let sinkCalls: SinkCall[] = [];
  let hasBegun = false;
  const isToMove = (activation: Activation): boolean =>
    hasBegun &&
    !home.isHeavy &&
    !home.isAlone &&
    heavyOnes.isHeavy(executionRunId) &&
    !standing.isCallingLocally() &&
    mayBeginAnew(activation);
  return {
    async activate(activation) {
      if (!(await standing.mayTake(activation))) return toReset(executionRunId, AHEAD);
      if (isToMove(activation)) return toReset(executionRunId, HEAVY);
      const encoded = WorkflowActivation.encode(activation).finish();
      const request = { kind: 'activate' as const, executionRunId, activation: encoded };
      heavyOnes.brings(executionRunId, encoded.length);
      hasBegun = true;
      const isReplay = isReplayed(activation);
      const asked = code.ask(request, isReplay);
      const answer = await noticeLongWait(asked, () => observer.waits(executionRunId));
      if (answer.kind === 'forgotten') return toReset(executionRunId, FORGOTTEN);
      if (answer.kind !== 'activated') throw new TypeError('An activation was answered by nothing');
      const workedMs = activation.isReplaying === true ? 0 : answer.workedMs;
      heavyOnes.observe(executionRunId, { bytes: answer.completion.length, workedMs });
      sinkCalls = answer.sinkCalls.map(toSinkCall);
      const completion = WorkflowActivationCompletion.decode(answer.completion);
      standing.answered(completion);
      if (completion.failed)
        observer.failed(executionRunId, { by: 'code', reason: completion.failed.failure?.message ?? '', proofs: 1 });
      if (!isReplay && !standing.isCallingLocally()) await code.leaveCell();
      return completion;
    },
    async getAndResetSinkCalls() {
      const calls = sinkCalls;
      sinkCalls = [];
      return await Promise.resolve(calls);
    },
    async dispose() {
      heavyOnes.leaves(executionRunId, home.isHeavy);
      await code.askLast({ kind: 'dispose', executionRunId });
    },
  };
}

type Activation = Parameters<Workflow['activate']>[0];

/** A query would fail, and local calls would be made again. */
function mayBeginAnew({ jobs, isReplaying }: Activation): boolean {
  const isBound = (jobs ?? []).some(({ queryWorkflow, resolveActivity }) => queryWorkflow ?? resolveActivity?.isLocal);
  return !isBound && isReplaying !== true;
}

const HEAVY = `${PLAYED_ANEW}: it keeps others waiting, and goes on in another process`;

/** Core says so of queries, too, which come when a replay is over. */
function isReplayed({ isReplaying, jobs }: Activation): boolean {
  return isReplaying === true && jobs?.some(({ queryWorkflow }) => queryWorkflow) !== true;
}

const FORGOTTEN = `${PLAYED_ANEW}: it was no longer in memory, as others needed the room`;
const AHEAD = `${PLAYED_ANEW}: it was played beyond what a workflow task has brought, or otherwise than a replay would`;

/** Has Temporal give a task out again, with the whole history; a query fails. */
function toReset(runId: string, message: string): coresdk.workflow_completion.IWorkflowActivationCompletion {
  return { runId, failed: { failure: { message }, forceCause: RESET_STICKY } };
}

const RESET_STICKY =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE;

function toSinkCall({ workflowInfo, args, ...call }: SentSinkCall): SinkCall {
  const { unsafe, ...info } = workflowInfo;
  const random = createUnsafeRandomSource(Math.random);
  return { ...call, args: [...args], workflowInfo: { ...info, unsafe: { ...unsafe, now: Date.now, random } } };
}

/** Temporal waits 30 s for a task. Code that works this long ends its process before. */
const WAITS_LONG_MS = 20_000;

/** Waits for the answer to a task. @param waits is called once when the answer takes so long that the task is going to time out */
export async function noticeLongWait<Answer>(answer: Promise<Answer>, waits: () => void): Promise<Answer> {
  const timer = setTimeout(waits, WAITS_LONG_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
