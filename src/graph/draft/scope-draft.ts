import { applyWrites, isReplacement } from '../channels/apply-writes.ts';
import type { WriteResult, TaskWrite } from '../channels/apply-writes.ts';
import type { Channel } from '../channels/channel.ts';
import { replaceValues } from '../channels/channel-sizes.ts';
import type { ValuesByChannel } from '../channels/channel-sizes.ts';
import type { OwnedLists, ReduceContext } from '../channels/reducer.ts';
import {
  MAX_HELD_BYTES,
  approximateBytes,
  bytesOfMembers,
  bytesOfSuperstep,
  bytesOfWork,
  rememberGrowth,
} from '../run/held-bytes.ts';
import { messageId } from '../run/ids.ts';
import type { NodeTask, Scope, ScopePosition, TaskState } from '../run/scope.ts';
import { withScopeInside, scopeInTask } from '../run/task-position.ts';
import { mapValues } from '../values/collections.ts';
import { GraphError } from '../values/errors.ts';
import { isJsonList, isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { withinSuperstep } from './frames.ts';
import type { Frame, TaskHandle } from './frames.ts';
import { hasRoomFor } from './draft.ts';
import type { Draft, Mutable } from './draft.ts';
import { tasksOfScope } from '../run/scope-position.ts';

/*
 * This file is the only writer of scopes. The first write of an `advance` to a scope copies it and its enclosing
 * scopes; reads copy nothing.
 */

type RunningPosition = ScopePosition & { readonly kind: 'running' };

/** A scope that one `advance` has copied. */
type DraftScope = Mutable<Omit<Scope, 'visits' | 'at'>> & {
  readonly visits: Record<string, number>;
  at: Exclude<ScopePosition, RunningPosition> | (Omit<RunningPosition, 'tasks'> & { readonly tasks: NodeTask[] });
};

/** Replaces a task in its superstep; its list element stays. @throws TypeError if the superstep is over */
export function replaceTask(handle: TaskHandle, task: NodeTask): void {
  handle.draft.hold(bytesOfWork(task.state) - bytesOfWork(handle.task.state));
  putTask(handle, task);
}

function putTask(handle: TaskHandle, task: NodeTask): void {
  const { at } = openForWriting(handle.frame);
  if (at.kind !== 'running' || at.tasks[handle.index] !== handle.task) throw new TypeError(`"${handle.key}" is gone`);
  at.tasks[handle.index] = task;
}

export function setState(handle: TaskHandle, state: TaskState): void {
  const { task, node } = handle;
  const inside = node.subgraph ? widthInside(task) : 0;
  replaceTask(handle, { ...task, ...(inside > 0 && { inside }), state });
}

/** @throws GraphError `PAYLOAD_TOO_LARGE` if the run would hold too much with the new state of its task */
export function requireRoom({ draft, task }: TaskHandle, state: TaskState): void {
  if (!hasRoomFor(draft, bytesOfWork(state) - bytesOfWork(task.state)))
    throw new GraphError('PAYLOAD_TOO_LARGE', `The open tasks of the run would hold over ${MAX_HELD_BYTES} bytes`);
}

/** Applies writes to the channels through their reducers, either all or none. */
export function writeChannels(frame: Frame, writes: readonly TaskWrite[]): WriteResult {
  const { graph, scope } = frame;
  const context = new ScopeContext(frame);
  const applied = withinSuperstep(frame.draft, () => applyWrites(graph.channels, scope.channels, writes, context));
  if (!applied.ok) return applied;
  const grown = grownBytes(frame, applied, writes);
  if (!hasRoomFor(frame.draft, grown)) {
    context.owned.rollBack();
    return noRoomForWrites(writes);
  }
  context.owned.commit();
  replaceChannels(frame, applied.channels, grown);
  openForWriting(frame).messages = context.messages;
  return applied;
}

/** Sets some channels without their reducers. */
export function setChannels(frame: Frame, values: ValuesByChannel): void {
  const channels = replaceValues(frame.scope.channels, values);
  replaceChannels(frame, channels, grownBytes(frame, { channels, changes: mapValues(values, (set) => ({ set })) }, []));
}

function replaceChannels(frame: Frame, channels: ValuesByChannel, grown: number): void {
  if (frame.parent) rememberGrowth(frame.scope.channels, channels, grown);
  openForWriting(frame).channels = channels;
  frame.draft.hold(grown);
}

/**
 * Returns the bytes by which the channels of a graph inside a task have grown; those of the run's own graph have a
 * limit of their own. Only what a write has changed is measured: the items added to a list, or the members of an object
 * that it names.
 */
function grownBytes(
  { draft, graph, parent, scope }: Frame,
  after: Pick<WriteResult & { ok: true }, 'channels' | 'changes'>,
  writes: readonly TaskWrite[],
): number {
  if (!parent) return 0;
  return Object.entries(after.changes).reduce((sum, [name, change]) => {
    const before = scope.channels[name] ?? null;
    if ('append' in change && isJsonList(before)) return sum + approximateBytes(change.append) - approximateBytes([]);
    const value = after.channels[name] ?? null;
    const members = changedMembers(graph.channels.get(name), writes);
    if (members && isJsonObject(before) && isJsonObject(value))
      return sum + bytesOfMembers(value, members) - bytesOfMembers(before, members);
    return sum + approximateBytes(value) - approximateBytes(draft.owned.before(before));
  }, 0);
}

/** Returns the members of a channel's value that writes may have changed; `null` if they may have changed any. */
function changedMembers(channel: Channel | undefined, writes: readonly TaskWrite[]): ReadonlySet<string> | null {
  if (!channel?.reducer.changesOnlyMembers || channel.ephemeral) return null;
  const updates = writes.flatMap(({ update }) => own(update, channel.name) ?? []);
  return updates.some(isReplacement)
    ? null
    : new Set(updates.flatMap((update) => (isJsonObject(update) ? Object.keys(update) : [])));
}

/** Refuses writes that are too large together. All writers are at fault, because each has added to the size. */
function noRoomForWrites(writes: readonly TaskWrite[]): WriteResult {
  const message = `the run would hold over ${MAX_HELD_BYTES} bytes in its tasks and subgraphs`;
  const [channel = ''] = writes.flatMap(({ update }) => Object.keys(update));
  return { ok: false, error: { code: 'PAYLOAD_TOO_LARGE', message }, channel, culprits: writes.map(({ by }) => by) };
}

/** Opens a superstep: sets its tasks and counts their visits. */
export function setTasks(frame: Frame, tasks: readonly NodeTask[]): void {
  const scope = openForWriting(frame);
  for (const { node, visit } of tasks) scope.visits[node] = visit;
  scope.at = { kind: 'running', tasks: [...tasks] };
}

/** Moves a graph to another position, which drops the tasks of an open superstep. */
export function moveToPosition(
  frame: Frame,
  at: Exclude<ScopePosition, RunningPosition>,
  deferred = frame.scope.deferred,
): void {
  const scope = openForWriting(frame);
  const before = bytesOfSuperstep(scope);
  if (frame.parent) scope.widest = superstepWidth(scope);
  scope.at = at;
  scope.deferred = deferred;
  frame.draft.hold(bytesOfSuperstep(scope) - before);
}

/** Moves a graph back to a position at which it has stood before. */
export function restorePosition(frame: Frame, { step, at, deferred }: Pick<Scope, 'step' | 'at' | 'deferred'>): void {
  const scope = openForWriting(frame);
  scope.step = step;
  scope.at = at.kind === 'running' ? { ...at, tasks: [...at.tasks] } : at;
  scope.deferred = deferred;
}

/** Stores the arrivals at each join. */
export function setJoins(frame: Frame, joins: Scope['joins']): void {
  openForWriting(frame).joins = joins;
}

/**
 * Advances to the next superstep's number. Supersteps of graphs inside belong to the superstep of the run's own graph.
 */
export function advanceStep(frame: Frame): void {
  if (!frame.parent) frame.draft.work.beginSuperstep();
  openForWriting(frame).step += 1;
}

function openForWriting(frame: Frame): DraftScope {
  const { draft, parent, scope } = frame;
  if (isCopiedScope(draft, scope)) return scope;
  const { at, visits } = scope;
  const copy = { ...scope, visits: { ...visits }, at: at.kind === 'running' ? { ...at, tasks: [...at.tasks] } : at };
  draft.copies.add(copy);
  if (parent) replaceScopeInside(parent, copy);
  else draft.setRoot(copy);
  return copy;
}

function isCopiedScope({ copies }: Draft, scope: Scope): scope is DraftScope {
  return copies.has(scope);
}

function replaceScopeInside(parent: TaskHandle, scope: Scope): void {
  const { state } = parent.task;
  if (state.phase !== 'open') throw new TypeError(`The graph inside the task "${parent.key}" is not open`);
  putTask(parent, { ...parent.task, state: { ...state, position: withScopeInside(state.position, scope) } });
}

/**
 * The context of a graph's reducers. Each graph numbers its own messages, so the timing of other graphs changes no id.
 */
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

/**
 * Returns the largest number of tasks that a superstep of a graph has had, including those of the graphs inside. Each
 * graph counts at its own maximum, whether the graphs ran in parallel or in sequence.
 */
function superstepWidth(scope: Scope): number {
  return Math.max(scope.widest, openWidth(scope));
}

/** Returns the number of tasks of the open superstep, including those of the graphs inside. */
export function openWidth({ at }: Pick<Scope, 'at'>): number {
  return tasksOfScope({ at }).reduce((sum, task) => sum + 1 + widthInside(task), 0);
}

/** Returns the number of tasks of the graphs inside a task, which may have ended. */
export function widthInside({ inside = 0, state }: NodeTask): number {
  const scope = scopeInTask(state);
  return scope ? Math.max(inside, superstepWidth(scope)) : inside;
}
