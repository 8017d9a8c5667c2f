import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import proto from '@temporalio/proto';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import type { ReusableVMWorkflow } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { OPEN_WITHIN_MS, toSentInfo } from './messages.ts';
import type { Answer, AnswerBody, Request, RequestBody } from './messages.ts';

/** The thread runs this also while code keeps the main thread busy; a child whose parent is gone gets another parent. */
const WATCH = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1_000);
`;

/** Ends this process with its parent, whatever this process does at that time. */
export function endWithParent(): void {
  new Worker(WATCH, { eval: true, workerData: process.ppid }).unref();
}

/** Workflows in memory, the one that was used longest ago first. */
export interface Cached {
  keys(): readonly string[];
  forget(key: string): Promise<void>;
}

export interface Heap {
  /** The part of the heap that is in use, garbage included, from 0 to 1. */
  usedPart(): number;
  /** Collects the garbage, which takes up to a second. */
  collect(): void;
}

/** Beyond this part of the heap, workflows are forgotten. */
const CROWDED = 0.5;
/** They are forgotten until no more than this is in use, so that the next ones find room. */
const ROOMY = 0.35;
/**
 * Beyond this part, they are forgotten even in the middle of a task. V8 aborts a process whose collections free little
 * while four fifths of the old generation, which is smaller than the heap, are in use.
 */
const FULL = 0.65;
/** The part of the workflows that is forgotten before the heap is measured again. */
const AT_ONCE = 0.25;
/** The part that the heap grows by before its garbage is collected again. */
const NEW_PART = 0.1;

/**
 * Forgets workflows when they take much of the heap, first those that were used longest ago. They are played again from
 * their histories, so none runs out of memory because of others.
 * @param inUse the number of workflows that may be in the middle of a task: those that were used last. A task begins anew
 * if its workflow is forgotten
 */
export function createRoomMaker(cached: Cached, heap: Heap, inUse: number): () => Promise<void> {
  let afterCollection = 0;
  const collect = (): number => {
    heap.collect();
    return (afterCollection = heap.usedPart());
  };
  const forgetUntil = async (part: number, kept: number): Promise<void> => {
    for (let used = afterCollection; used > part; used = collect()) {
      const keys = cached.keys();
      const idle = keys.slice(0, Math.max(0, keys.length - kept));
      if (idle.length === 0) return;
      for (const key of idle.slice(0, Math.ceil(idle.length * AT_ONCE))) await cached.forget(key);
    }
  };
  return async () => {
    const used = heap.usedPart();
    if (used <= CROWDED || used <= Math.min(afterCollection + NEW_PART, FULL)) return;
    if (collect() > ROOMY) await forgetUntil(ROOMY, inUse);
    if (afterCollection > FULL) await forgetUntil(CROWDED, 0);
  };
}

/** The heap of this process. */
export function ownHeap(): Heap {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new TypeError('This Node gives no access to its garbage collector');
  return {
    usedPart() {
      const { used_heap_size, heap_size_limit } = getHeapStatistics();
      return used_heap_size / heap_size_limit;
    },
    collect: () => void collect(),
  };
}

/* The process that runs workflow code for a worker (`start-workflow-process.ts`). It ends with its worker. */

const { WorkflowActivation } = proto.coresdk.workflow_activation;
const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;

let creator: ReusableVMWorkflowCreator | null = null;

/** The executions that are in memory, the one that was used longest ago first. */
const used = new Set<string>();
let makeRoom = async (): Promise<void> => undefined;

async function use(executionRunId: string): Promise<void> {
  used.delete(executionRunId);
  await makeRoom();
  used.add(executionRunId);
}

async function forget(executionRunId: string): Promise<void> {
  used.delete(executionRunId);
  await find(executionRunId)?.dispose();
}

async function answerTo(request: RequestBody): Promise<AnswerBody> {
  switch (request.kind) {
    case 'open': {
      creator = await createCreator(request);
      makeRoom = createRoomMaker({ keys: () => [...used], forget }, ownHeap(), request.tasksAtOnce);
      return { kind: 'done' };
    }
    case 'create': {
      const { info, ...options } = request.options;
      await use(info.runId);
      const unsafe = { ...info.unsafe, now: Date.now, random: createUnsafeRandomSource(Math.random) };
      await creator?.createWorkflow({ ...options, info: { ...info, unsafe } });
      return { kind: 'done' };
    }
    case 'activate': {
      const workflow = find(request.executionRunId);
      if (!workflow) return { kind: 'forgotten' };
      await use(request.executionRunId);
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
      await forget(request.executionRunId);
      return { kind: 'done' };
  }
}

/**
 * The SDK's time limit starts a thread for each call into workflow code, and its promise hook formats a stack trace for
 * each promise: together more than half of the time of a workflow task. The worker ends this process when it takes too
 * long, and `__stack_trace` says nothing about a graph, so both are off.
 */
async function createCreator({ bundle, activityNames }: RequestBody & { kind: 'open' }) {
  Object.defineProperty(globalHandlers, 'setPromiseHook', { value: () => undefined });
  const made = await ReusableVMWorkflowCreator.create(bundle, OPEN_WITHIN_MS, activityNames);
  Object.defineProperty(made, 'isolateExecutionTimeoutMs', { value: undefined });
  return made;
}

function find(executionRunId: string): ReusableVMWorkflow | undefined {
  return ReusableVMWorkflowCreator.workflowByRunId.get(executionRunId);
}

async function answer({ id, ...request }: Request): Promise<Answer> {
  try {
    return { id, ...(await answerTo(request)) };
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { id, kind: 'failed', message, stack };
  }
}

function isRequest(message: unknown): message is Request {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

let lastAnswer: Promise<unknown> = Promise.resolve();

process.on('message', (message) => {
  if (isRequest(message)) lastAnswer = lastAnswer.then(async () => say(await answer(message)));
});

function abort(): never {
  return process.abort();
}

/** A worker that is gone hears nothing; this process ends then. */
function say(given: Answer): void {
  process.send?.(given, undefined, undefined, () => undefined);
}

process.once('disconnect', process.exit.bind(process, 0));
endWithParent();
// What asks for the end of this process in here is the code that it runs: an abort says so, and no signal from outside does.
Object.assign(process, { exit: abort, kill: abort });
// Signals to the process group are for the worker, which needs this process until it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
