import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { PLAYED_ANEW } from '../../workflows/contract.ts';
import type { CompletedTaskCheck } from './completed-task.ts';
import { createHeavyExecutions } from './heavy-executions.ts';
import type { HeavyExecutions } from './heavy-executions.ts';
import { noticeLongWait } from './long-wait.ts';
import { toSentInfo } from './messages.ts';
import type { RequestBody, SentSinkCall } from './messages.ts';
import { createRestartable } from './restartable.ts';
import type { Restartable } from './restartable.ts';
import { createExecutionStanding } from './execution-standing.ts';
import type { ExecutionStanding } from './execution-standing.ts';
import type { WorkflowProcess } from './start-workflow-process.ts';

/** Is told of executions whose code runs in the process. */
export interface ExecutionObserver {
  opened(execution: Pick<WorkflowInfo, 'workflowId' | 'runId'>): void;
  /** A task of the execution has waited so long for its turn that it is going to time out. */
  waits(executionRunId: string): void;
  /** The code of the execution has failed its workflow task, or the machine was too busy for it. */
  failed(executionRunId: string, reason: string, by: 'code' | 'machine'): void;
}

export interface HostOptions {
  /** Starts a process. */
  readonly start: () => WorkflowProcess;
  /** The first request to each process. */
  readonly open: RequestBody & { readonly kind: 'open' };
  readonly observer: ExecutionObserver;
  readonly wasCompleted: CompletedTaskCheck;
}

type CreateOptions = Parameters<WorkflowCreator['createWorkflow']>[0];
type SinkCall = Awaited<ReturnType<Workflow['getAndResetSinkCalls']>>[number];

const { WorkflowActivation } = proto.coresdk.workflow_activation;
const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;

/**
 * Runs the code of workflows in a process of its own, and in another one when that has ended. Heavy executions have one
 * besides: others do not wait for their tasks.
 * @throws when the first process can't run the code
 */
export async function openWorkflowHost({ start, open, observer, wasCompleted }: HostOptions): Promise<WorkflowCreator> {
  const begin = (): OpenedProcess => {
    const process = start();
    const opened = process.ask(open).then(() => process);
    opened.catch(async () => await process.stop());
    return { process, opened };
  };
  const [light, heavy] = [createReplaceable(begin), createReplaceable(begin)];
  await light.living();
  const heavyOnes = createHeavyExecutions();
  return {
    async createWorkflow(options) {
      observer.opened(options.info);
      const { runId, workflowId } = options.info;
      const openCode = async (): Promise<Restartable> => {
        const { living } = heavyOnes.isHeavy(runId) ? heavy : light;
        return createRestartable(
          await living(),
          { kind: 'create', options: toSent(options) },
          {
            living,
            blame: (how, part) => observer.failed(runId, how, part === 'cause' ? 'code' : 'machine'),
          },
        );
      };
      const standing = createExecutionStanding(async (started) => await wasCompleted({ workflowId, runId }, started));
      return await Promise.resolve(createProxy({ openCode, standing, heavyOnes, observer }, runId));
    },
    async destroy() {
      await Promise.all([light.stop(), heavy.stop()]);
    },
  };
}

interface OpenedProcess {
  readonly process: WorkflowProcess;
  readonly opened: Promise<WorkflowProcess>;
}

/** Processes of which each follows one that has ended. */
interface Replaceable {
  living(this: void): Promise<WorkflowProcess>;
  stop(): Promise<void>;
}

function createReplaceable(begin: () => OpenedProcess): Replaceable {
  let current: OpenedProcess | null = null;
  return {
    async living() {
      if (!current || current.process.hasEnded) current = begin();
      return await current.opened;
    },
    stop: async () => await current?.process.stop(),
  };
}

interface ProxyDeps {
  readonly openCode: () => Promise<Restartable>;
  readonly standing: ExecutionStanding;
  readonly heavyOnes: HeavyExecutions;
  readonly observer: ExecutionObserver;
}

/** A workflow as the worker sees it; its code is in the process. */
function createProxy({ openCode, standing, heavyOnes, observer }: ProxyDeps, executionRunId: string): Workflow {
  let sinkCalls: SinkCall[] = [];
  let code: Restartable | null = null;
  let isInHeavy = false;
  const codeFor = async (bytes: number): Promise<Restartable> => {
    if (code) return code;
    heavyOnes.begins(executionRunId, bytes);
    isInHeavy = heavyOnes.isHeavy(executionRunId);
    return (code = await openCode());
  };
  const isToMove = (activation: Activation): boolean =>
    code !== null && !isInHeavy && heavyOnes.isHeavy(executionRunId) && mayBeginAnew(activation);
  return {
    async activate(activation) {
      if (!(await standing.mayTake(activation))) return toReset(executionRunId, AHEAD);
      if (isToMove(activation)) return toReset(executionRunId, HEAVY);
      const encoded = WorkflowActivation.encode(activation).finish();
      const request = { kind: 'activate' as const, executionRunId, activation: encoded };
      const asked = (await codeFor(encoded.length)).ask(request, activation.isReplaying === true);
      const answer = await noticeLongWait(asked, () => observer.waits(executionRunId));
      if (answer.kind === 'forgotten') return toReset(executionRunId, FORGOTTEN);
      if (answer.kind !== 'activated') throw new TypeError('An activation was answered by nothing');
      const workedMs = activation.isReplaying === true ? 0 : answer.workedMs;
      heavyOnes.observe(executionRunId, { bytes: encoded.length + answer.completion.length, workedMs });
      sinkCalls = answer.sinkCalls.map(toSinkCall);
      const completion = WorkflowActivationCompletion.decode(answer.completion);
      standing.answered(completion);
      if (completion.failed) observer.failed(executionRunId, completion.failed.failure?.message ?? '', 'code');
      return completion;
    },
    async getAndResetSinkCalls() {
      const calls = sinkCalls;
      sinkCalls = [];
      return await Promise.resolve(calls);
    },
    async dispose() {
      heavyOnes.leaves(executionRunId, isInHeavy);
      // What ends with the process is disposed of; the SDK ends the worker if this throws.
      await code?.askOnce({ kind: 'dispose', executionRunId }).catch(() => undefined);
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
const FORGOTTEN = `${PLAYED_ANEW}: it was no longer in memory, as others needed the room`;
const AHEAD = `${PLAYED_ANEW}: it was played beyond what a workflow task has brought`;

/** Has Temporal give a task out again, with the whole history; a query fails. */
function toReset(runId: string, message: string): coresdk.workflow_completion.IWorkflowActivationCompletion {
  return { runId, failed: { failure: { message }, forceCause: RESET_STICKY } };
}

const RESET_STICKY =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE;

function toSent({ info, ...options }: CreateOptions) {
  return { ...options, info: toSentInfo(info) };
}

function toSinkCall({ workflowInfo, args, ...call }: SentSinkCall): SinkCall {
  const { unsafe, ...info } = workflowInfo;
  const random = createUnsafeRandomSource(Math.random);
  return { ...call, args: [...args], workflowInfo: { ...info, unsafe: { ...unsafe, now: Date.now, random } } };
}
