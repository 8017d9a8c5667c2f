import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { FEWEST_PROOFS } from '../../store/failing-runs.ts';
import { PLAYED_ANEW } from '../../workflows/contract.ts';
import type { CompletedTaskCheck } from './completed-task.ts';
import { createCells } from './cells.ts';
import type { Cell } from './cells.ts';
import { createHeavyExecutions } from './heavy-executions.ts';
import type { HeavyExecutions } from './heavy-executions.ts';
import { toSentInfo } from './messages.ts';
import type { RequestBody, SentSinkCall } from './messages.ts';
import { ProcessEnded } from './pending-requests.ts';
import type { WorkflowProcess, Succeeded } from './start-workflow-process.ts';
import { judge } from './process-end.ts';
import type { ObservedEnd, Verdict } from './process-end.ts';

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

/** How far an execution has come, and if Temporal knows that it has. */
export interface ExecutionStanding {
  /** Takes note of an activation. @returns false if the execution has gone on beyond what Temporal has, and must be played anew */
  mayTake(activation: ExecutionActivation): Promise<boolean>;
  /** Takes note of the answer to an activation. */
  answered(completion: Completion): void;
  /** True while the workflow task stays open for local calls. */
  isCallingLocally(): boolean;
}

type ExecutionActivation = Pick<
  coresdk.workflow_activation.IWorkflowActivation,
  'jobs' | 'historyLength' | 'isReplaying'
>;
type Completion = coresdk.workflow_completion.IWorkflowActivationCompletion;

/** Core's id of a query that comes without a workflow task. */
const DIRECT_QUERY = 'legacy_query';

/**
 * Core renews a task whose local calls stay open for 24 s, which takes a worker that has stood still. In a replay both are
 * one task, with the time and the length of the history that the second one has: the code has seen others.
 */
function isRenewed(jobs: NonNullable<ExecutionActivation['jobs']>, lastSeen: number | null): boolean {
  return lastSeen !== null && jobs.some(({ resolveActivity }) => resolveActivity?.isLocal === true);
}

/**
 * A query without a task makes Temporal's core play events that no task has brought yet. A replay would see them with others
 * and may command something else, so such a query is answered only where a completed task has brought the execution.
 * @param wasCompleted says that of the task which an event, by its id, has started @throws when Temporal does not answer
 */
export function createExecutionStanding(wasCompleted: (startedEventId: number) => Promise<boolean>): ExecutionStanding {
  /** The id of the last event that the execution has seen; `null`: it is replayed, up to a task that was completed. */
  let lastSeen: number | null = null;
  /** Local calls that core makes for a query: while they are open, the next task comes before the query itself. */
  let openLocalCalls = 0;
  const isKnown = async (): Promise<boolean> => lastSeen === null || (await wasCompleted(lastSeen));
  return {
    async mayTake({ jobs: given, historyLength, isReplaying }) {
      const jobs = given ?? [];
      // No other job comes with queries.
      const queries = jobs.flatMap(({ queryWorkflow }) => queryWorkflow ?? []);
      if (queries.length > 0) return !queries.some(({ queryId }) => queryId === DIRECT_QUERY) || (await isKnown());
      const seen = historyLength ?? 0;
      if (openLocalCalls > 0 && seen !== lastSeen && (isRenewed(jobs, lastSeen) || !(await isKnown()))) return false;
      lastSeen = isReplaying === true ? null : seen;
      openLocalCalls -= jobs.filter(({ resolveActivity }) => resolveActivity?.isLocal === true).length;
      return true;
    },
    answered({ successful }) {
      const commands = successful?.commands ?? [];
      openLocalCalls += commands.filter(({ scheduleLocalActivity }) => scheduleLocalActivity).length;
    },
    isCallingLocally: () => openLocalCalls > 0,
  };
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

/** The requests of one execution, to the process that has its code. */
export interface Restartable {
  /**
   * Asks the process. What it has to do before, as at the beginning of the execution, travels with the request.
   * @param isReplaying the history says already what comes of the request
   * @throws ProcessEnded
   */
  ask(request: RequestBody, isReplaying: boolean): Promise<Succeeded>;
  /** Leaves the process that the execution has for itself; it must be played anew then. */
  leaveCell(): Promise<void>;
  /** Asks the process, and no other if that has ended, and leaves it. */
  askLast(request: RequestBody): Promise<void>;
}

interface RestartableDeps {
  /** Gives the process that all executions have together. @throws ProcessEnded */
  readonly shared: () => Promise<WorkflowProcess>;
  /** Gives a place for this execution alone. */
  readonly alone: () => Promise<Cell>;
  /** Is told that a task fails because the process has ended while it was at the execution. */
  readonly failed: (how: string, verdict: Exclude<Verdict, 'sound'>) => void;
}

/** An execution before its first task here. */
export interface NewExecution {
  /** The request that every process has to do first. */
  readonly begin: RequestBody;
  /** A process has ended while it was at the execution. */
  readonly isSuspect: boolean;
}

/** Each task tries so many at most. */
const MOST_PROCESSES = 5;

/**
 * An execution that does its first task, or is replayed for one, begins again in the next process when the process has
 * ended: if its task failed, the next attempt would have to wait until Temporal's time-out. If the process was at this very
 * execution, the next one is for it alone: that shows if its code ends processes, and spares the others.
 */
export function createRestartable(
  { begin, isSuspect }: NewExecution,
  { failed, ...places }: RestartableDeps,
): Restartable {
  const ends: ObservedEnd[] = [];
  const place = createPlace(places);
  let hasLeft = false;
  let process: WorkflowProcess | null = null;
  /** What brings the code to where it stands; null when that is beyond its history, or when it is only asked. */
  let replayed: RequestBody[] | null = [begin];
  /** The part of it that the process has not been asked for. */
  let missing: readonly RequestBody[] = replayed;
  const mayRestart = (error: unknown, processes: number): boolean => {
    if (!(error instanceof ProcessEnded)) return false;
    if (error.wasAtWork) ends.push({ kind: error.end.kind, wasAlone: place.isCell() });
    const verdict = judge(ends);
    const isOver = replayed === null || processes >= MOST_PROCESSES || error.end.kind === 'busy';
    if (!isOver && verdict !== 'to-blame') return true;
    if (verdict !== 'sound') failed(error.message, verdict);
    return false;
  };
  const leaveCell = async (): Promise<void> => {
    hasLeft ||= place.isCell();
    await place.leave();
  };
  return {
    async ask(request, isReplaying) {
      if (hasLeft) return { kind: 'forgotten' };
      for (let processes = 1; ; processes += 1) {
        try {
          process ??= await place.next(isSuspect || ends.length > 0);
          const answer = await askAfter(process, missing, request);
          missing = [];
          if (isReplaying) replayed?.push(request);
          else replayed = null;
          return answer;
        } catch (error) {
          if (!mayRestart(error, processes)) throw error;
          process = null;
          missing = replayed ?? [];
        }
      }
    },
    leaveCell,
    async askLast(request) {
      // What ends with the process needs no disposal.
      if (process && !hasLeft) await process.ask(request).catch(() => undefined);
      await leaveCell();
    },
  };
}

/** Where the code of an execution runs: with all others, or in a cell, which it keeps. */
function createPlace({ shared, alone }: Pick<RestartableDeps, 'shared' | 'alone'>) {
  let cell: Cell | null = null;
  return {
    isCell: () => cell !== null,
    async next(isSuspect: boolean): Promise<WorkflowProcess> {
      if (!isSuspect) return await shared();
      cell ??= await alone();
      return await cell.fresh();
    },
    async leave() {
      await cell?.leave();
    },
  };
}

/** The process has one end, and the oldest of the requests tells if it was at work then. */
async function askAfter(
  process: WorkflowProcess,
  before: readonly RequestBody[],
  request: RequestBody,
): Promise<Succeeded> {
  const asked = before.map((one) => process.ask(one));
  const answer = process.ask(request);
  await Promise.all([...asked, answer]);
  return await answer;
}
