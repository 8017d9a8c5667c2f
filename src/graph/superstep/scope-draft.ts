import { applyWrites } from '../channels/apply-writes.ts';
import type { Applied, Channels, Write } from '../channels/apply-writes.ts';
import type { OwnedLists, ReduceContext } from '../channels/reducer.ts';
import { messageId } from '../run/ids.ts';
import type { NodeTask, Scope, ScopePosition, TaskState } from '../run/scope.ts';
import type { Json } from '../values/json.ts';
import type { Draft } from './draft.ts';
import type { Frame, TaskHandle } from './frames.ts';

/*
 * The only writers of scopes. A scope is copied when an `advance` first writes to it, and so are the scopes around it;
 * reading copies nothing.
 */

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Running = ScopePosition & { readonly kind: 'running' };

/** A scope that one `advance` has copied. */
type DraftScope = Mutable<Omit<Scope, 'visits' | 'at'>> & {
  readonly visits: Record<string, number>;
  at: Exclude<ScopePosition, Running> | (Omit<Running, 'tasks'> & { readonly tasks: NodeTask[] });
};

/** Tasks are values: a changed one takes the place of the old one in its superstep. @throws TypeError when that is over */
export function replaceTask(handle: TaskHandle, task: NodeTask): void {
  const { at } = openForWriting(handle.frame);
  if (at.kind !== 'running' || at.tasks[handle.at] !== handle.task) throw new TypeError(`"${handle.key}" is gone`);
  at.tasks[handle.at] = task;
}

export function setState(handle: TaskHandle, state: TaskState): void {
  replaceTask(handle, { ...handle.task, state });
}

/** Takes writes through the reducers into the channels. Where one can't be applied, nothing has changed. */
export function writeChannels(frame: Frame, writes: readonly Write[]): Applied {
  const { graph, scope } = frame;
  const context = new ScopeContext(frame);
  const applied = applyWrites(graph.channels, scope.channels, { writes, context });
  if (!applied.ok) return applied;
  const draft = openForWriting(frame);
  draft.channels = applied.channels;
  draft.messages = context.messages;
  return applied;
}

export function setChannels(frame: Frame, channels: Channels): void {
  openForWriting(frame).channels = channels;
}

/** Begins a superstep with what is triggered. */
export function openSuperstep(frame: Frame, tasks: readonly NodeTask[]): void {
  const scope = openForWriting(frame);
  for (const { node, visit } of tasks) scope.visits[node] = visit;
  scope.at = { kind: 'running', tasks: [...tasks] };
}

/** Has a graph stand somewhere else; the tasks of a superstep that was open are gone then. */
export function moveTo(frame: Frame, at: Exclude<ScopePosition, Running>, deferred = frame.scope.deferred): void {
  const scope = openForWriting(frame);
  scope.at = at;
  scope.deferred = deferred;
}

/** Keeps the sources that have reached each join. */
export function setJoins(frame: Frame, joins: Scope['joins']): void {
  openForWriting(frame).joins = joins;
}

/** Counts a superstep that is over. */
export function nextStep(frame: Frame): void {
  openForWriting(frame).step += 1;
}

function openForWriting(frame: Frame): DraftScope {
  const { draft, parent, scope } = frame;
  if (isCopy(draft, scope)) return scope;
  const { at, visits } = scope;
  const copy = { ...scope, visits: { ...visits }, at: at.kind === 'running' ? { ...at, tasks: [...at.tasks] } : at };
  draft.copies.add(copy);
  if (parent) putInto(parent, copy);
  else draft.setRoot(copy);
  return copy;
}

function isCopy({ copies }: Draft, scope: Scope): scope is DraftScope {
  return copies.has(scope);
}

function putInto(parent: TaskHandle, scope: Scope): void {
  const { state } = parent.task;
  if (state.phase !== 'open' || state.position.kind !== 'subgraph')
    throw new TypeError(`The graph inside the task "${parent.key}" is not open`);
  setState(parent, { ...state, position: { ...state.position, scope } });
}

/** The context of a graph's reducers. Message ids are numbered in the graph itself: the timing of others changes none. */
class ScopeContext implements ReduceContext {
  readonly owned: OwnedLists;
  extension: readonly Json[] | null = null;
  messages: number;
  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.owned = frame.draft.owned;
    this.messages = frame.scope.messages;
    this.#frame = frame;
  }

  nextMessageId(): string {
    const { draft, executionPath } = this.#frame;
    return messageId(draft.run.id, executionPath, ++this.messages);
  }
}
