import type { CompiledGraph, CompiledNode } from '../compile/compile.ts';
import type { CompiledEdge } from '../compile/edges.ts';
import type { Bindings } from '../expression/names.ts';
import type { TaskEventBody, RunEvent, RunEventBody } from '../journal/events.ts';
import { callKey, executionKey, isSamePath, DEADLINE_TIMER } from '../run/ids.ts';
import type { ExecutionPath, NodePath, TaskPath, TaskKey } from '../run/ids.ts';
import { tasksOfScope } from '../run/scope-position.ts';
import { scopeInside } from '../run/task-position.ts';
import type { NodePosition, NodeTask, Scope } from '../run/scope.ts';
import { own } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { Draft } from './draft.ts';
import { withinByteLimit } from '../expression/byte-budget.ts';
import { MAX_HELD_BYTES, bytesOfTask, holdsTooMuch } from '../run/held-bytes.ts';
import { MAX_VALUE_BYTES } from '../values/json-size.ts';
import { withAllowance, withinBudget } from '../values/meter.ts';
import type { RecordedBody } from '../run/occurrence.ts';
import { countEvent } from './load.ts';

/** An open graph with its enclosing tasks. Its content is read at each use, so it is never stale. */
export class Frame {
  readonly draft: Draft;
  readonly graph: CompiledGraph;
  /** The enclosing task; `null` for the run's own graph. */
  readonly parent: TaskHandle | null;
  readonly path: NodePath;
  /** Keys of the parent tasks. */
  readonly taskPath: TaskPath;
  /** Execution keys of the parent tasks; unlike task keys, they are unique in a run. */
  readonly executionPath: ExecutionPath;
  /** True if an enclosing node may end before its calls return: it has a deadline, or runs the graph for a model. */
  readonly isTimed: boolean;

  constructor(draft: Draft, graph: CompiledGraph, parent: TaskHandle | null) {
    this.draft = draft;
    this.graph = graph;
    this.parent = parent;
    this.path = parent ? [...parent.frame.path, parent.node.id] : [];
    this.taskPath = parent?.taskPath ?? [];
    this.executionPath = parent?.executionPath ?? [];
    this.isTimed = parent !== null && (parent.frame.isTimed || mayEndEarly(parent.node));
  }

  get scope(): Scope {
    if (!this.parent) return this.draft.run.root;
    const scope = scopeInside(openPosition(this.parent.task));
    if (scope) return scope;
    throw new TypeError(`The graph inside the task "${this.parent.key}" is not open`);
  }

  get step(): number {
    return this.scope.step;
  }

  /** True if an enclosing node has failed and only waits for its open calls. No new work begins then. */
  get isFailing(): boolean {
    if (!this.parent) return false;
    return this.parent.frame.isFailing || openPosition(this.parent.task)?.kind === 'failing';
  }
}

/** A handle of a task in an open superstep, found by its index. Its state is read at each use. */
export class TaskHandle {
  readonly frame: Frame;
  readonly node: CompiledNode;
  readonly key: TaskKey;
  /** The task's index in the superstep, which never changes. */
  readonly index: number;
  readonly #visit: number;

  constructor(frame: Frame, { key, node: id, visit }: NodeTask, index: number) {
    const node = frame.graph.nodes.get(id);
    if (!node) throw new TypeError(`The graph has no node "${id}"`);
    this.frame = frame;
    this.node = node;
    this.key = key;
    this.index = index;
    this.#visit = visit;
  }

  get draft(): Draft {
    return this.frame.draft;
  }

  /** @throws TypeError if the superstep is over */
  get task(): NodeTask {
    const task = tasksOfScope(this.frame.scope)[this.index];
    if (task?.key === this.key && task.visit === this.#visit) return task;
    throw new TypeError(`The task "${this.key}" is gone`);
  }

  get taskPath(): TaskPath {
    return [...this.frame.taskPath, this.key];
  }

  /** Returns the keys of this execution, unique in its run. */
  get executionPath(): ExecutionPath {
    return [...this.frame.executionPath, executionKey(this.task)];
  }
}

export function rootFrame(draft: Draft): Frame {
  return new Frame(draft, draft.graph, null);
}

/** Returns the frame of the graph inside an open task; `null` if there is none. */
export function childFrame(handle: TaskHandle): Frame | null {
  const { subgraph } = handle.node;
  return subgraph && scopeInside(openPosition(handle.task)) ? new Frame(handle.draft, subgraph, handle) : null;
}

function openPosition({ state }: NodeTask): NodePosition | null {
  return state.phase === 'open' ? state.position : null;
}

function mayEndEarly({ callsGraphs, deadlineMs }: CompiledNode): boolean {
  return deadlineMs !== null || callsGraphs;
}

/** True if the first path leads to the task at the second, or to a task inside it. */
export function isWithinTask(path: TaskPath, outer: TaskPath): boolean {
  return outer.every((key, depth) => path[depth] === key);
}

/** True if two handles lead to one task. */
export function isSameTask(one: TaskHandle, other: TaskHandle): boolean {
  return one.key === other.key && isSamePath(one.frame.taskPath, other.frame.taskPath);
}

/** Returns a task of an open superstep by its path; `null` if it is gone. */
export function findTask(draft: Draft, path: TaskPath): TaskHandle | null {
  let frame: Frame | null = rootFrame(draft);
  let found: TaskHandle | null = null;
  for (const key of path) {
    found = frame && taskInFrame(frame, key);
    frame = found && childFrame(found);
  }
  return found;
}

function taskInFrame(frame: Frame, key: TaskKey): TaskHandle | null {
  const tasks = tasksOfScope(frame.scope);
  const index = tasks.findIndex((candidate) => candidate.key === key);
  const task = tasks[index];
  return task ? new TaskHandle(frame, task, index) : null;
}

/** Returns the tasks of one graph's open superstep. */
export function tasksOfFrame(frame: Frame): TaskHandle[] {
  return tasksOfScope(frame.scope).map((task, index) => new TaskHandle(frame, task, index));
}

/** Returns every open graph within a frame, outermost first. */
export function openFrames(frame: Frame): Frame[] {
  if (!frame.graph.hasSubgraphs) return [frame];
  const children = tasksOfFrame(frame).flatMap((handle) => childFrame(handle) ?? []);
  return [frame, ...children.flatMap((child) => openFrames(child))];
}

/** Returns every task of every open graph of a run. */
export function tasksOfRun(draft: Draft): TaskHandle[] {
  return openFrames(rootFrame(draft)).flatMap((frame) => tasksOfFrame(frame));
}

/** Returns the values of a graph's output channels. */
export function frameOutput({ graph, scope }: Frame): JsonObject {
  return Object.fromEntries(graph.output.map((channel) => [channel, own(scope.channels, channel) ?? null]));
}

/** Records an event about a task. */
export function emitTask({ draft, frame, task }: TaskHandle, body: TaskEventBody): void {
  const { node, visit, index } = task;
  emitEvent(draft, frame, Object.assign({ node, visit }, index === null ? null : { index }, body));
}

/** Records an event about the task at a path, if the task still exists. */
export function emitTaskAt(draft: Draft, path: TaskPath, body: TaskEventBody): void {
  const handle = findTask(draft, path);
  if (handle) emitTask(handle, body);
}

/** Returns the idempotency key of a task's call; `number` distinguishes the calls of one task. */
export function keyOfCall({ draft, frame, task }: TaskHandle, number: number): string {
  return callKey(draft.run.id, frame.executionPath, task, number);
}

/** Returns one line for the Temporal Web UI, such as `tool charge · pay #2`. */
export function taskSummary({ frame, task }: TaskHandle, kind: string): string {
  return `${kind} ${[...frame.path, task.key].join('/')} #${task.visit}`;
}

/** Returns the names in scope for expressions of a task's node. */
export function taskBindings({ frame, task: { visit, item, index } }: TaskHandle): Bindings {
  return { state: frame.scope.channels, run: runFields(frame, visit), item, index };
}

/**
 * Returns the names in scope for expressions of an edge. A join has no `visits`, because each of its sources has its
 * own.
 */
export function edgeBindings(frame: Frame, { sources }: CompiledEdge): Bindings {
  const { channels, visits } = frame.scope;
  const [source, ...others] = sources;
  const visit = source === undefined || others.length > 0 ? null : (own(visits, source) ?? null);
  return { state: channels, run: runFields(frame, visit), item: null, index: null };
}

function runFields({ draft, graph, scope }: Frame, visit: number | null): JsonObject {
  const { run, startedAt } = draft;
  const { id, threadId, tenantId } = run;
  return { id, threadId, tenantId, step: scope.step, visit, graph: graph.definition.name, startedAt };
}

/*
 * Limits of the computing of a run. One `advance` stays far below the 8 s of processor time of an activation, because
 * it yields (`load.ts`); these limits bound the sum over many. They belong to the interpreter version: other values
 * would stop a recorded run at another point.
 */

/** The limit of one step of a task: its templates, arguments and schema checks. Its writes have the same limit again. */
const TASK_UNITS = 3_000_000;
/** The limit of the edges of all nodes that finish in one superstep. */
const EDGE_UNITS = 5_000_000;
/** The limit of a superstep of the run's own graph: its tasks, the graphs inside, writes and edges together. */
const SUPERSTEP_UNITS = 20_000_000;
/** The limit of a run until it receives a result, a signal or a timer. */
const UNITS_ALONE = 100_000_000;

/** Runs a step of a task. @throws TooExpensiveError beyond its allowance, naming the node, or beyond its superstep's */
export function withTaskAllowance<T>(handle: TaskHandle, step: () => T): T {
  return withinSuperstep(handle.draft, () => withOwnAllowance(handle, step));
}

/**
 * Like `withTaskAllowance`, but regardless of what its superstep has computed, for work that follows from a call
 * already made.
 */
export function withOwnAllowance<T>(handle: TaskHandle, step: () => T): T {
  return withAllowance(`Node "${handle.node.id}"`, TASK_UNITS, () => withRoomOf(handle, step));
}

/** Values up to this size, in bytes, may always be made. The run's limit is checked again when they are stored. */
const ALWAYS_MADE = 65_536;

/**
 * Runs a step that must not make a value beyond the free room of its run. The bytes that the task holds count as free,
 * because the new value may replace them.
 */
function withRoomOf<T>({ draft, task }: TaskHandle, step: () => T): T {
  const left = MAX_HELD_BYTES - draft.heldBytes;
  if (left >= MAX_VALUE_BYTES) return step();
  return withinByteLimit({ bytes: Math.max(ALWAYS_MADE, left + bytesOfTask(task)), refuse: holdsTooMuch }, step);
}

/**
 * Evaluates the edges of a superstep.
 * @throws TooExpensiveError beyond their own allowance, or that of the superstep
 */
export function withEdgeAllowance<T>({ draft, step }: Frame, evaluate: () => T): T {
  const name = `The evaluation of all edges of superstep ${step}`;
  return withinSuperstep(draft, () => withAllowance(name, EDGE_UNITS, evaluate));
}

/** Evaluates what is written before the last node of a failed run. @throws TooExpensiveError beyond its allowance */
export function withDetourAllowance<T>(frame: Frame, evaluate: (bindings: Bindings) => T): T {
  const bindings = { state: frame.scope.channels, run: runFields(frame, null), item: null, index: null };
  return withinSuperstep(frame.draft, () => withAllowance('onFail.write', TASK_UNITS, () => evaluate(bindings)));
}

/** Runs a part of the open superstep of the run's own graph. @throws TooExpensiveError if its allowance is used up */
export function withinSuperstep<T>({ run, work }: Draft, part: () => T): T {
  const message = `Superstep ${Math.max(0, run.root.step)} is too expensive: the superstep has computed more than it may, ${SUPERSTEP_UNITS} units for all its tasks and edges together`;
  return withinBudget({ units: SUPERSTEP_UNITS, spent: work.computed.superstep, message }, part);
}

/** True if the open superstep has used up its allowance, so it can't succeed. */
export function isUsedUp({ work }: Draft): boolean {
  return work.computed.superstep >= SUPERSTEP_UNITS;
}

/**
 * Returns the problem of a run that has computed too much since the last input from outside; `null` if it may continue.
 */
export function tooLongAlone({ work }: Draft): string | null {
  if (work.computed.alone <= UNITS_ALONE) return null;
  return `The run has computed more than ${UNITS_ALONE} units since it last heard from outside`;
}

/** Cancels the timers of a task and of the tasks inside it. */
export function cancelTimersOf({ draft, taskPath }: TaskHandle): void {
  draft.cancelTimersWithin(taskPath);
}

/** Cancels the open timers and approvals of a task and of the tasks inside it. Its calls stay open. */
export function cancelTimersAndApprovalsOf(handle: TaskHandle): void {
  cancelTimersOf(handle);
  handle.draft.cancelApprovals(handle.taskPath);
}

/**
 * Cancels the open calls, timers and approvals of a run, except the timer of its deadline. The results of the calls
 * still arrive.
 */
export function cancelOpenRequests(draft: Draft): void {
  draft.cancelCalls();
  for (const id of Object.keys(draft.run.timers)) if (id !== DEADLINE_TIMER) draft.cancelTimer(id);
  draft.cancelApprovals();
}

/** Records an event with its number, time, superstep and the ids of the enclosing nodes. */
export function emitEvent(draft: Draft, { step, path }: Pick<Frame, 'step' | 'path'>, body: RunEventBody): RunEvent {
  const numbered = { seq: draft.increment('seq'), at: draft.timestamp, step };
  const event: RunEvent = Object.assign(numbered, path.length > 0 ? { path } : null, body);
  draft.events.push(event);
  countEvent(draft, body);
  return event;
}

/** Records an event of the run's own graph. */
export function emitOfRun(draft: Draft, body: RunEventBody): void {
  emitEvent(draft, { step: draft.run.root.step, path: [] }, body);
}

/** Records a processed occurrence before the events that it causes, and resets the count of uninterrupted work. */
export function recordOccurrence(draft: Draft, body: RecordedBody): void {
  draft.work.receiveOccurrence();
  const number = draft.increment('occurrence');
  draft.occurrences.push({ ...body, number, seq: draft.run.counters.seq, at: draft.now });
}
