import { GraphError } from '../values/errors.ts';
import { MAX_INLINE_BYTES, SCALAR_SIZE, textSize } from '../values/json-size.ts';
import { isContainer, isJsonList } from '../values/json.ts';
import type { CallRequest } from './effect.ts';
import { PROMPT } from './model-turn.ts';
import type { Run } from './run.ts';
import { scopeInside, scopeInTask } from './task-position.ts';
import type { NodePosition, NodeTask, SavedProgress, Scope, TaskState, Trigger } from './scope.ts';

/**
 * Measures the bytes that a run holds besides the channels of its own graph: what tasks have done or wait for, their
 * list elements, the channels of subgraphs, approvals, buffered events, signal results, compensations, large requests
 * of open calls, and possibly executed calls. Sizes are memoized, so the cost is one look-up for each part.
 */
export function heldBytes({ root, phase, approvals, bufferedEvents, signalResults, compensation, calls }: Run): number {
  const { pending, perhapsMade } = compensation;
  const rest = [...Object.values(approvals), ...bufferedEvents, ...signalResults, ...pending, ...perhapsMade];
  const requests = Object.values(calls).reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  const failed = phase.kind === 'closing-failed' ? bytesOfSuperstep(phase.failedAt) : 0;
  return bytesOfSuperstep(root) + failed + bytesOfAll(rest) + requests;
}

/** Limit in bytes of what a run holds, as counted by `heldBytes`. It belongs to the interpreter version. */
export const MAX_HELD_BYTES = 64_000_000;

/** Returns the error of a value that would make a run hold too much. */
export function holdsTooMuch(subject: string): GraphError {
  return new GraphError(
    'PAYLOAD_TOO_LARGE',
    `${subject} would be too much: the run would hold over ${MAX_HELD_BYTES} bytes`,
  );
}

/** @returns the bytes of values, without those of the list itself */
function bytesOfAll(values: readonly object[]): number {
  return values.reduce<number>((sum, value) => sum + approximateBytes(value), 0);
}

/** Returns the bytes held for a superstep: of its tasks or, before it opens, of the elements that begin them. */
export function bytesOfSuperstep({ at, deferred }: Pick<Scope, 'at' | 'deferred'>): number {
  const open =
    at.kind === 'running' ? at.tasks.reduce((sum, task) => sum + bytesOfTask(task), 0) : bytesOfTriggers(at.triggers);
  return open + bytesOfTriggers(deferred);
}

function bytesOfTriggers(triggers: readonly Trigger[]): number {
  return triggers.reduce((sum, { element }) => sum + (element ? bytesOfItem(element) : 0), 0);
}

/** Returns the bytes of a task: of its list element, and of its work. */
export function bytesOfTask(task: NodeTask): number {
  return (task.index === null ? 0 : bytesOfItem(task)) + bytesOfWork(task.state);
}

/** Returns the bytes of a task's results, of its position, and of the graph inside. */
export function bytesOfWork(state: TaskState): number {
  const inner = scopeInTask(state);
  return bytesOfState(state) + (inner ? bytesOfChannels(inner.channels) + bytesOfSuperstep(inner) : 0);
}

/**
 * Returns the bytes of a call's request that the run holds nowhere else, such as the prompt of a model, which is built
 * for each call. Small requests count as 0.
 */
export function bytesOfRequest(request: CallRequest): number {
  if (request.kind !== 'model') return 0;
  const [first] = request.messages;
  const bytes = approximateBytes(request.system) + (first?.id === PROMPT ? approximateBytes(first.content) : 0);
  return bytes > MAX_INLINE_BYTES ? bytes : 0;
}

/** Returns the bytes of a list element. The size of a long text is memoized by the object that holds it. */
function bytesOfItem(holder: Pick<NodeTask, 'item'>): number {
  const { item } = holder;
  if (typeof item !== 'string' || item.length < MIN_MEMOIZED_BYTES) return approximateBytes(item);
  const bytes = itemsMeasured.get(holder) ?? approximateBytes(item);
  itemsMeasured.set(holder, bytes);
  return bytes;
}

const itemsMeasured = new WeakMap<object, number>();

/** Returns the bytes of all channels. The sum is memoized, because texts can't be keys; each write makes a new object. */
function bytesOfChannels(channels: ScopeChannels): number {
  const bytes =
    channelsMeasured.get(channels) ??
    Object.values(channels).reduce<number>((sum, value) => sum + approximateBytes(value), 0);
  channelsMeasured.set(channels, bytes);
  return bytes;
}

/** Memoizes the size of channels after a write, if the size before it is known. @param grown the difference in bytes */
export function rememberGrowth(before: ScopeChannels, after: ScopeChannels, grown: number): void {
  const bytes = channelsMeasured.get(before);
  if (bytes !== undefined) channelsMeasured.set(after, bytes + grown);
}

type ScopeChannels = Scope['channels'];

const channelsMeasured = new WeakMap<ScopeChannels, number>();

/** Returns the bytes of a state, memoized without the graph inside, which may change in place. */
function bytesOfState(state: TaskState): number {
  const before = statesMeasured.get(state);
  if (before !== undefined) return before;
  const bytes = measureState(state);
  statesMeasured.set(state, bytes);
  return bytes;
}

const statesMeasured = new WeakMap<TaskState, number>();

/** A ready task without saved progress counts 0, because its trigger was counted. */
function measureState(state: TaskState): number {
  switch (state.phase) {
    case 'ready':
      return state.saved ? bytesOfPosition(state.saved) : 0;
    case 'open':
      return bytesOfPosition(state.position);
    case 'completed':
      return approximateBytes(state.update) + approximateBytes(state.outcome);
    case 'diverted':
      return approximateBytes(state.update) + approximateBytes(state.failure) + bytesOfPosition(state.saved);
    case 'intervention':
      return approximateBytes(state.failure) + approximateBytes(state.call) + bytesOfPosition(state.saved);
    case 'failed':
      return approximateBytes(state.failure) + bytesOfPosition(state.saved);
  }
}

/** Returns the bytes of a position, without those of the graphs inside. */
function bytesOfPosition(position: NodePosition | SavedProgress | null): number {
  if (position?.kind === 'subgraph') return approximateBytes(position.input);
  if (position?.kind === 'failing')
    return approximateBytes({ ...position, saved: null }) + bytesOfPosition(position.saved);
  return approximateBytes(position && scopeInside(position) ? { ...position, inside: null } : position);
}

/** Memoized sizes of objects, which never change. */
const objectsMeasured = new WeakMap<object, number>();
/**
 * Memoized sizes of lists with the measured length. Lists of channels grow in place, and never shrink below a measured
 * length.
 */
const listsMeasured = new WeakMap<object, { readonly length: number; readonly bytes: number }>();
/** Smaller objects are measured faster than they are looked up. */
const MIN_MEMOIZED_BYTES = 256;

/** Returns approximately the bytes of a value as JSON text; the same for equal values. */
export function approximateBytes(value: unknown): number {
  if (typeof value === 'string') return textSize(value);
  if (!isContainer(value)) return SCALAR_SIZE;
  if (isJsonList(value)) return bytesOfList(value);
  const before = objectsMeasured.get(value);
  if (before !== undefined) return before;
  const bytes = 2 + bytesOfMembers(value, Object.keys(value));
  if (bytes >= MIN_MEMOIZED_BYTES) objectsMeasured.set(value, bytes);
  return bytes;
}

/** Returns the bytes of some members of an object, with their names. Members that it does not have take none. */
export function bytesOfMembers(value: object, names: Iterable<string>): number {
  let bytes = 0;
  for (const name of names)
    if (Object.hasOwn(value, name)) bytes += textSize(name) + 2 + approximateBytes(Reflect.get(value, name));
  return bytes;
}

function bytesOfList(list: readonly unknown[]): number {
  const before = listsMeasured.get(list) ?? { length: 0, bytes: 2 };
  if (before.length === list.length) return before.bytes;
  let { bytes } = before;
  for (let at = before.length; at < list.length; at += 1) bytes += approximateBytes(list[at]) + 1;
  if (bytes >= MIN_MEMOIZED_BYTES) listsMeasured.set(list, { length: list.length, bytes });
  return bytes;
}
