import { emitEvent, tooLongAlone } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import { moveToPosition, setTasks, openWidth, widthInside, advanceStep, writeChannels } from '../draft/scope-draft.ts';
import type { ListElement, ReadyScope, Trigger, ConcurrencyGroup, NodeTask, Scope } from '../run/scope.ts';
import { mayOpenStep, isClosing } from '../run/status.ts';
import type { RunError } from '../values/errors.ts';
import type { Breakpoints } from '../run/run.ts';
import { previewNextNodes, triggerNextNodes } from './edges.ts';
import { spendUnits } from '../values/meter.ts';
import { START } from '../definition/definition.ts';
import { own } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { saveFullCheckpoint } from './save-checkpoint.ts';
import { taskKey } from '../run/ids.ts';

/** Opens the next superstep if nodes are triggered and the run may continue. @returns `null` if it has opened */
export function openNextSuperstep(frame: Frame, at: ReadyScope): StopReason | null {
  const { draft, graph, path, step } = frame;
  const { triggers } = releaseDeferred(frame, at);
  if (!mayOpenStep(draft.run, path.length > 0)) return { kind: 'paused' };
  if (triggers.length === 0) return { kind: 'finished' };
  const limit = path.length === 0 ? draft.run.limits.maxSteps : graph.maxSteps;
  if (step >= limit) return { kind: 'failed', error: recursionLimit(step, limit) };
  const error = ceilingReached(frame, triggers.length);
  if (error) return { kind: 'failed', error };
  if (stopAtBreakpointBefore(frame)) return { kind: 'paused' };
  openSuperstep(frame, triggers);
  return null;
}

/** Opens a superstep with the given triggers. */
export function openSuperstep(frame: Frame, triggers: readonly Trigger[]): void {
  const tasks = planTasks(triggers, frame.scope.visits);
  setTasks(frame, tasks);
  emitEvent(frame.draft, frame, { type: 'step.started', nodes: [...new Set(tasks.map(({ node }) => node))] });
}

/** Triggers deferred nodes when no other node is left to run. */
function releaseDeferred(frame: Frame, at: ReadyScope): ReadyScope {
  const { deferred } = frame.scope;
  if (at.triggers.length > 0 || deferred.length === 0) return at;
  const released = { ...at, triggers: deferred };
  moveToPosition(frame, released, []);
  return released;
}

function recursionLimit(step: number, limit: number): RunError {
  return {
    code: 'GRAPH_RECURSION_LIMIT',
    message: `Superstep ${step} would be number ${step + 1}; maxSteps is ${limit}`,
    step,
  };
}

/** Stops a graph at breakpoints before its next nodes, unless it has passed them. @returns true if it stops */
export function stopAtBreakpointBefore(frame: Frame): boolean {
  const { at } = frame.scope;
  if (at.kind !== 'ready' || at.hasPassedBreakpoint) return false;
  const { triggers } = at;
  const next = triggers.map(({ node }) => node);
  const nodes = nodesWithBreakpoint(frame, next, 'before');
  if (nodes.length > 0) moveToPosition(frame, { kind: 'before', nodes, triggers });
  return nodes.length > 0;
}

/** Stops a graph at breakpoints after its finished nodes. @returns true if it stops */
export function stopAtBreakpointAfter(frame: Frame, finished: readonly string[]): boolean {
  const { at } = frame.scope;
  const nodes = nodesWithBreakpoint(frame, finished, 'after');
  if (nodes.length === 0 || at.kind !== 'edges') return false;
  moveToPosition(frame, { ...at, kind: 'after', nodes, next: previewNextNodes(frame) });
  return true;
}

/** Moves a stopped graph past its breakpoint; others stay unchanged. */
export function passBreakpoint(frame: Frame): void {
  const { at } = frame.scope;
  if (at.kind === 'before') moveToPosition(frame, { kind: 'ready', triggers: at.triggers, hasPassedBreakpoint: true });
  if (at.kind !== 'after') return;
  const { finished, triggers } = at;
  if (finished.length > 0) moveToPosition(frame, { kind: 'edges', finished, triggers });
  else moveToPosition(frame, { kind: 'ready', triggers, hasPassedBreakpoint: false });
}

/**
 * Returns those of the given nodes that have a breakpoint of the graph or, in the run's own graph, of the run. In a
 * closing run, none has.
 */
function nodesWithBreakpoint(
  { draft: { run }, graph, path }: Frame,
  nodes: readonly string[],
  side: keyof Breakpoints,
): readonly string[] {
  if (isClosing(run)) return NO_NODES;
  const ofRun = path.length === 0 ? run.breakpoints[side] : NO_NODES;
  if (ofRun.length + graph.breakpoints[side].length === 0) return NO_NODES;
  const stops = new Set([...graph.breakpoints[side], ...ofRun]);
  return [...new Set(nodes.filter((node) => stops.has('*') || stops.has(node)))];
}

const NO_NODES: readonly string[] = [];

/**
 * Finds the ceiling of the installation that one more superstep would exceed. Limits of a graph apply to each graph
 * separately; ceilings also apply to nested graphs together.
 * @param count number of its tasks
 */
function ceilingReached(frame: Frame, count: number): RunError | null {
  const { eventsPerRun, superstepTasks } = frame.graph.catalog.ceilings;
  const { seq } = frame.draft.run.counters;
  if (seq >= eventsPerRun)
    return reachedLimit(
      frame,
      `The run has ${seq} events; this installation allows ${eventsPerRun} (ceilings.eventsPerRun)`,
    );
  const alone = tooLongAlone(frame.draft);
  if (alone !== null) return reachedLimit(frame, alone);
  const tasks = countTasks(frame, count, superstepTasks);
  if (tasks <= superstepTasks) return null;
  const allowed = `this installation allows ${superstepTasks} (ceilings.superstepTasks)`;
  return reachedLimit(frame, `${tasks} tasks would run in one superstep, with those of the graphs inside; ${allowed}`);
}

function reachedLimit({ step }: Frame, message: string): RunError {
  return { code: 'GRAPH_RECURSION_LIMIT', message, step };
}

/**
 * Counts the tasks of the run's superstep, including those of graphs inside at their maximum, plus those of one more
 * superstep. The draft keeps an upper bound, to which each superstep of a graph inside adds. The tasks are only counted
 * again when this bound is too high.
 */
function countTasks(frame: Frame, count: number, allowed: number): number {
  if (!frame.parent) return count;
  const { load } = frame.draft;
  load.tasksAtMost += count;
  if (load.tasksAtMost > allowed) {
    load.tasksAtMost = widthWithTasks(frame, count);
    spendUnits(load.tasksAtMost);
  }
  return load.tasksAtMost;
}

/** Returns the number of tasks of the run's superstep after a graph inside opens a superstep with `count` tasks. */
function widthWithTasks({ scope: { widest }, parent }: Frame, count: number): number {
  let width = Math.max(widest, count);
  for (let around = parent; around; around = around.frame.parent) {
    const { scope, parent: outer } = around.frame;
    const open = openWidth(scope) + Math.max(width, around.task.inside ?? 0) - widthInside(around.task);
    width = outer ? Math.max(scope.widest, open) : open;
  }
  return width;
}

/**
 * Writes the input through the reducers and triggers the first nodes.
 * @param startAt the node that replaces the start edges' targets; `null` for none
 */
export function enterScope(frame: Frame, input: JsonObject, startAt: string | null = null): RunError | null {
  const applied = writeChannels(frame, [{ by: 'the input', node: START, update: input }]);
  if (!applied.ok) {
    saveFullCheckpoint(frame, { source: 'input', step: frame.scope.step, visited: [] });
    return { code: applied.error.code, message: applied.error.message };
  }
  if (startAt !== null) moveToPosition(frame, { kind: 'edges', finished: [], triggers: [{ node: startAt }] });
  const failure = triggerNextNodes(frame);
  saveFullCheckpoint(frame, { source: 'input', step: frame.scope.step, visited: [] });
  advanceStep(frame);
  return failure;
}

/**
 * Plans the next superstep: one task for each triggered node, or for each element of a list. Tasks are sorted by node
 * id and then by element, so the order of triggers is irrelevant. The elements of one list are sorted by one node id.
 */
function planTasks(triggers: readonly Trigger[], visits: Scope['visits']): NodeTask[] {
  const sorted = [...triggers].sort((a, b) => compareKeys(sortKeyOf(a), sortKeyOf(b)));
  const elements = new Map<string, number>();
  return sorted.map(({ node, element = null }) => {
    const ordinal = Math.max(elements.get(node) ?? 0, element?.index ?? 0);
    if (element) elements.set(node, ordinal + 1);
    return {
      key: taskKey(node, element ? ordinal : undefined),
      node,
      visit: (own(visits, node) ?? 0) + 1,
      ...elementFields(element),
      retryRound: 0,
      takeover: 0,
      state: { phase: 'ready' },
    };
  });
}

function sortKeyOf({ node, element }: Trigger): string {
  return element?.sortedAs ?? node;
}

function elementFields(element: ListElement | null): Pick<NodeTask, 'index' | 'item' | 'group' | 'sortedAs'> {
  if (!element) return { index: null, item: null, group: null };
  const { index, item, group = null, sortedAs } = element;
  return { index, item, group, ...(sortedAs !== undefined && { sortedAs }) };
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The number of open elements of each `forEach`. */
export type OpenByGroup = Map<string, number>;

export function openByGroup(tasks: readonly NodeTask[]): OpenByGroup {
  const groups: OpenByGroup = new Map();
  for (const task of tasks) addOpen(task, groups);
  return groups;
}

export function isGroupFull(group: ConcurrencyGroup | null, groups: OpenByGroup): boolean {
  return group !== null && (groups.get(group.id) ?? 0) >= group.width;
}

/** Adds a task that has begun and is not over. */
export function addOpen({ group, state: { phase } }: NodeTask, groups: OpenByGroup): void {
  const isOpen = phase === 'open' || phase === 'intervention';
  if (group && isOpen) groups.set(group.id, (groups.get(group.id) ?? 0) + 1);
}

/** Removes a task that has ended, so another element may begin. */
export function removeOpen({ group }: NodeTask, groups: OpenByGroup): void {
  if (group) groups.set(group.id, (groups.get(group.id) ?? 0) - 1);
}

/** The reason why the supersteps of a graph do not continue now. */
export type StopReason =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly error: RunError }
  /** The graph could continue, but the journal must be written first. */
  | { readonly kind: 'yielded' };
