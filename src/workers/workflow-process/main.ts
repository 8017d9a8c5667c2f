import process from 'node:process';
import proto from '@temporalio/proto';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import type { ReusableVMWorkflow } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { endWithParent } from './end-with-parent.ts';
import { OPEN_WITHIN_MS, toSentInfo } from './messages.ts';
import type { ProcessAnswer, AnswerBody, OpenRequest, ProcessRequest, ProcessRequestBody } from './messages.ts';
import { createEviction, ownHeapGauge } from './eviction.ts';

/* The process that runs workflow code for a worker (`start-workflow-process.ts`). It ends when its worker ends. */

const { WorkflowActivation } = proto.coresdk.workflow_activation;
const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;

let workflowCreator: ReusableVMWorkflowCreator | null = null;

/** The executions in memory, least recently used first. */
const usedExecutions = new Set<string>();
let evictIfCrowded = async (): Promise<void> => undefined;

async function markUsed(executionRunId: string): Promise<void> {
  usedExecutions.delete(executionRunId);
  await evictIfCrowded();
  usedExecutions.add(executionRunId);
}

async function forgetExecution(executionRunId: string): Promise<void> {
  usedExecutions.delete(executionRunId);
  await findWorkflow(executionRunId)?.dispose();
}

async function performRequest(request: ProcessRequestBody): Promise<AnswerBody> {
  switch (request.kind) {
    case 'open': {
      workflowCreator = await createCreator(request);
      evictIfCrowded = createEviction(
        { keys: () => [...usedExecutions], forget: forgetExecution },
        ownHeapGauge(),
        request.tasksAtOnce,
      );
      return { kind: 'done' };
    }
    case 'create': {
      const { info, ...options } = request.options;
      await markUsed(info.runId);
      const unsafe = { ...info.unsafe, now: Date.now, random: createUnsafeRandomSource(Math.random) };
      await workflowCreator?.createWorkflow({ ...options, info: { ...info, unsafe } });
      return { kind: 'done' };
    }
    case 'activate': {
      const workflow = findWorkflow(request.executionRunId);
      if (!workflow) return { kind: 'forgotten' };
      await markUsed(request.executionRunId);
      const before = process.cpuUsage();
      const completion = await workflow.activate(WorkflowActivation.decode(request.activation));
      const calls = await workflow.getAndResetSinkCalls();
      return {
        kind: 'activated',
        completion: WorkflowActivationCompletion.encode(completion).finish(),
        sinkCalls: calls.map((call) => ({ ...call, workflowInfo: toSentInfo(call.workflowInfo) })),
        workedMs: process.cpuUsage(before).user / 1_000,
      };
    }
    case 'dispose':
      await forgetExecution(request.executionRunId);
      return { kind: 'done' };
  }
}

/**
 * The SDK's time limit starts a thread for each call into workflow code, and its promise hook formats a stack trace for
 * each promise: together they take more than half of the time of a workflow task. The worker ends this process when it takes
 * too long, and `__stack_trace` is useless for a graph, so both are disabled.
 */
async function createCreator({ bundle, activityNames }: OpenRequest) {
  Object.defineProperty(globalHandlers, 'setPromiseHook', { value: () => undefined });
  const made = await ReusableVMWorkflowCreator.create(bundle, OPEN_WITHIN_MS, activityNames);
  Object.defineProperty(made, 'isolateExecutionTimeoutMs', { value: undefined });
  return made;
}

function findWorkflow(executionRunId: string): ReusableVMWorkflow | undefined {
  return ReusableVMWorkflowCreator.workflowByRunId.get(executionRunId);
}

async function answerRequest({ id, ...request }: ProcessRequest): Promise<ProcessAnswer> {
  try {
    return { id, ...(await performRequest(request)) };
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { id, kind: 'failed', message, stack };
  }
}

function isRequest(message: unknown): message is ProcessRequest {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

let lastAnswer: Promise<unknown> = Promise.resolve();

process.on('message', (message) => {
  if (isRequest(message)) lastAnswer = lastAnswer.then(async () => sendAnswer(await answerRequest(message)));
});

function abortProcess(): never {
  return process.abort();
}

/** Sends an answer. It is lost if the worker has ended; this process ends then. */
function sendAnswer(message: ProcessAnswer): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

process.once('disconnect', process.exit.bind(process, 0));
endWithParent();
// Only the workflow code can call these functions: an abort shows that, because no signal from outside causes one.
Object.assign(process, { exit: abortProcess, kill: abortProcess });
// Signals to the process group are meant for the worker, which needs this process until the worker ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
