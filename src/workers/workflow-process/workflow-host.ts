import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { FEWEST_PROOFS } from '../../store/failing-runs.ts';
import { PLAYED_ANEW } from '../../workflows/contract.ts';
import type { CompletedTaskCheck } from './completed-task.ts';
import { createCells } from './cells.ts';
import { createHeavyExecutions } from './heavy-executions.ts';
import type { HeavyExecutions } from './heavy-executions.ts';
import { noticeLongWait } from './long-wait.ts';
import { toSentInfo } from './messages.ts';
import type { RequestBody, SentSinkCall } from './messages.ts';
import { ProcessEnded } from './pending-requests.ts';
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
  /** The workflow task of the execution has failed. */
  failed(executionRunId: string, failure: WorkflowTaskFailure): void;
}

/** Why a workflow task has failed: by its own code, or for a reason that has come from the machine. */
export type WorkflowTaskFailure =
  | { readonly by: 'code'; readonly reason: string; readonly proofs: number }
  | { readonly by: 'machine'; readonly reason: string };

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
 * besides: others do not wait for their tasks. An execution in which a process has ended is tried alone.
 * @throws when the first process can't run the code
 */
export async function openWorkflowHost({ start, open, observer, wasCompleted }: HostOptions): Promise<WorkflowCreator> {
  const begin = (): OpenedProcess => {
    const process = start();
    const opened = process.ask(open).then(() => process, withoutBlame);
    opened.catch(async () => await process.stop());
    return { process, opened };
  };
  const [light, heavy] = [createReplaceable(begin), createReplaceable(begin)];
  await firstOf(light);
  const cells = createCells(async () => await begin().opened);
  const heavyOnes = createHeavyExecutions();
  /** Executions that have to be tried alone when they come again. */
  const suspects = new Set<string>();
  return {
    async createWorkflow(options) {
      observer.opened(options.info);
      const { runId, workflowId } = options.info;
      const home = { isHeavy: false, isAlone: false };
      const code = createRestartable(
        { begin: { kind: 'create', options: toSent(options) }, isSuspect: suspects.delete(runId) },
        {
          shared() {
            home.isHeavy = heavyOnes.isHeavy(runId);
            return (home.isHeavy ? heavy : light).living();
          },
          alone() {
            home.isAlone = true;
            return cells.enter();
          },
          failed(reason, verdict) {
            suspects.add(runId);
            observer.failed(runId, FAILURES[verdict](reason));
          },
        },
      );
      const standing = createExecutionStanding(async (started) => await wasCompleted({ workflowId, runId }, started));
      return createProxy({ code, home, standing, heavyOnes, observer }, runId);
    },
    async destroy() {
      await Promise.all([light.stop(), heavy.stop(), cells.stop()]);
    },
  };
}

const FAILURES = {
  suspect: (reason: string): WorkflowTaskFailure => ({ by: 'machine', reason }),
  'to-blame': (reason: string): WorkflowTaskFailure => ({ by: 'code', reason, proofs: FEWEST_PROOFS }),
} as const;

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

/** Whoever ends the first process, as the kernel may, another one follows. @throws when it can't run the code */
async function firstOf({ living }: Replaceable): Promise<void> {
  for (let processes = 1; ; processes += 1) {
    try {
      await living();
      return;
    } catch (error) {
      if (!(error instanceof ProcessEnded) || processes >= MOST_FIRST_PROCESSES) throw error;
    }
  }
}

const MOST_FIRST_PROCESSES = 5;

/** No execution has a part in the end of a process that is not open yet. */
function withoutBlame(error: unknown): never {
  if (error instanceof ProcessEnded && error.wasAtWork) throw new ProcessEnded(error.end, false);
  throw error;
}

interface ProxyDeps {
  readonly code: Restartable;
  /** Where the code is, once it is there. */
  readonly home: { readonly isHeavy: boolean; readonly isAlone: boolean };
  readonly standing: ExecutionStanding;
  readonly heavyOnes: HeavyExecutions;
  readonly observer: ExecutionObserver;
}

/** A workflow as the worker sees it; its code is in the process. */
function createProxy({ code, home, standing, heavyOnes, observer }: ProxyDeps, executionRunId: string): Workflow {
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

function toSent({ info, ...options }: CreateOptions) {
  return { ...options, info: toSentInfo(info) };
}

function toSinkCall({ workflowInfo, args, ...call }: SentSinkCall): SinkCall {
  const { unsafe, ...info } = workflowInfo;
  const random = createUnsafeRandomSource(Math.random);
  return { ...call, args: [...args], workflowInfo: { ...info, unsafe: { ...unsafe, now: Date.now, random } } };
}
