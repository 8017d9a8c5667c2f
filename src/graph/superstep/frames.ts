import type { CompiledNode } from '../compile/compile.ts';
import type { Bindings } from '../expression/expression.ts';
import type { TaskEventBody } from '../journal/events.ts';
import { executionKey } from '../run/ids.ts';
import type { TaskPath } from '../run/ids.ts';
import type { TaskState, NodeTask } from '../run/scope.ts';
import type { JsonObject } from '../values/json.ts';
import { openScope, emit } from './draft.ts';
import type { Draft, Frame } from './draft.ts';

export function rootFrame({ graph, run }: Draft): Frame {
  return { graph, scope: run.root, path: [], taskPath: [], executionPath: [], isTimed: false, isFailing: false };
}

/** The graph inside a subgraph task that is open, opened for work; `null`: there is none. */
export function childFrame(of: TaskFrame): Frame | null {
  const { draft, frame, node, task } = of;
  if (!node.subgraph || task.state.phase !== 'open' || task.state.position.kind !== 'subgraph') return null;
  const address = [...frame.taskPath, task.key];
  const id = address.join('/');
  const known = draft.frames.get(id);
  if (known) return known;
  const { position } = task.state;
  const scope = openScope(position.scope);
  const child = {
    graph: node.subgraph,
    scope,
    path: [...frame.path, node.id],
    taskPath: address,
    executionPath: executionPathOf(of),
    isTimed: frame.isTimed || node.deadlineMs !== null,
    isFailing: frame.isFailing || position.failing !== undefined,
  };
  setState(of, { phase: 'open', position: { ...position, scope } });
  draft.frames.set(id, child);
  return child;
}

/** Which execution of a task this is, within all of its run. */
export function executionPathOf({ frame, task }: Pick<TaskFrame, 'frame' | 'task'>): readonly string[] {
  return [...frame.executionPath, executionKey(task)];
}

/** Tasks are values: a changed one takes the place of the old one in its superstep. */
export function setState({ draft, frame, task }: TaskFrame, state: TaskState): void {
  const tasks = frame.scope.superstep?.tasks ?? [];
  const at = tasks.findIndex(({ key }) => key === task.key);
  if (at < 0) return;
  tasks[at] = { ...task, state };
  if (state.phase !== 'open') draft.frames.delete([...frame.taskPath, task.key].join('/'));
}

/** Has the graphs inside a task opened anew when they are worked on next. */
export function closeFrames({ draft, frame, task }: TaskFrame): void {
  const address = [...frame.taskPath, task.key];
  for (const [id, child] of draft.frames) if (isWithin(child.taskPath, address)) draft.frames.delete(id);
}

/** Whether a task is the one at an address, or inside it. */
export function isWithin(task: TaskPath, address: TaskPath): boolean {
  return address.every((key, depth) => task[depth] === key);
}

/** Finds a task of an open superstep by its address, or `null` when it is gone. */
export function findTask(draft: Draft, address: TaskPath): TaskFrame | null {
  let frame: Frame | null = rootFrame(draft);
  let found: TaskFrame | null = null;
  for (const key of address) {
    found = frame && taskIn(draft, frame, key);
    frame = found && childFrame(found);
  }
  return found;
}

function taskIn(draft: Draft, frame: Frame, key: string): TaskFrame | null {
  const task = frame.scope.superstep?.tasks.find((candidate) => candidate.key === key);
  return task ? toTaskFrame(draft, frame, task) : null;
}

function toTaskFrame(draft: Draft, frame: Frame, task: NodeTask): TaskFrame {
  const node = frame.graph.nodes.get(task.node);
  if (!node) throw new TypeError(`The graph has no node "${task.node}"`);
  return { draft, frame, node, task };
}

/** The tasks of the open superstep of one graph. */
export function tasksOf(draft: Draft, frame: Frame): TaskFrame[] {
  return (frame.scope.superstep?.tasks ?? []).map((task) => toTaskFrame(draft, frame, task));
}

/** Every graph of a run that is open, outermost first. */
export function openFrames(draft: Draft, frame: Frame = rootFrame(draft)): Frame[] {
  const children = tasksOf(draft, frame).flatMap((of) => childFrame(of) ?? []);
  return [frame, ...children.flatMap((child) => openFrames(draft, child))];
}

/** Every task of every open graph of a run. */
export function openTasks(draft: Draft): TaskFrame[] {
  return openFrames(draft).flatMap((frame) => tasksOf(draft, frame));
}

/** A node task being worked on, with all that its events and calls need to name it. */
export interface TaskFrame {
  readonly draft: Draft;
  readonly frame: Frame;
  readonly node: CompiledNode;
  readonly task: NodeTask;
}

/** Records an event about a task. */
export function emitTask({ draft, frame, task }: TaskFrame, body: TaskEventBody): void {
  const { node, visit, index } = task;
  emit(draft, frame, Object.assign({ node, visit }, index === null ? null : { index }, body));
}

export function taskPathOf({ frame, task }: TaskFrame): TaskPath {
  return [...frame.taskPath, task.key];
}

/** What the expressions of a task's node see. */
export function taskBindings(draft: Draft, frame: Frame, { visit, item, index }: NodeTask): Bindings {
  return { state: frame.scope.channels, run: runFields(draft, frame, visit), item, index };
}

/** What expressions of a graph see outside any task. */
export function scopeBindings(draft: Draft, frame: Frame): Bindings {
  return { state: frame.scope.channels, run: runFields(draft, frame, null), item: null, index: null };
}

function runFields({ run, startedAt }: Draft, { graph, scope }: Frame, visit: number | null): JsonObject {
  const { id, threadId, tenantId } = run;
  return { id, threadId, tenantId, step: scope.step, visit, graph: graph.definition.name, startedAt };
}
