import type { NewMessage, ToolCall } from '../../definition/message.ts';
import { NOT_ASKED, answered, failureIn } from '../../run/tool-batch.ts';
import type { BatchCall, CallState, ToolBatch } from '../../run/tool-batch.ts';
import { tasksOfScope, freshScope } from '../../run/scope-position.ts';
import type { Scope, WithGraphCalls, NodeTask } from '../../run/scope.ts';
import { GraphError, toRunError } from '../../values/errors.ts';
import type { TaskInput } from '../behavior.ts';
import { graphCallInput } from './callable-tool.ts';
import type { CallableTool, ToolBatchContext } from './callable-tool.ts';
import { refuseFixedArguments, withFixedArguments } from './fixed-arguments.ts';
import { failureNote, toolNotFound } from './messages.ts';
import type { Bindings } from '../../expression/names.ts';
import { deepEqual } from '../../values/compare-json.ts';
import { readCallArgs, resumeCall } from './resume-call.ts';
import { newCountdown } from '../../run/limits.ts';
import { taskKey } from '../../run/ids.ts';
import type { CallableGraph } from '../node-settings.ts';

/*
 * A tool batch holds the tool calls of one message. They run in parallel, each with its own key, retries and approval.
 * A failed call is answered with its failure, and the others continue.
 */

/** The current state of a batch in its task, with the graphs that run as calls. */
export interface BatchProgress extends Pick<WithGraphCalls, 'inside'> {
  readonly batch: ToolBatch;
  /** The number of calls made so far by the task; also the number of the next one. */
  readonly callsMade: number;
}

/** The number is bounded because each answer is searched among all calls of its batch. */
const MAX_BATCH_CALLS = 500;

/** Makes a batch of requested calls. Calls that can't be made are answered at once; the others become ready. */
export function readBatch(context: ToolBatchContext, requested: readonly ToolCall[], callsMade: number): BatchProgress {
  let number = callsMade;
  const active = new Set(context.tools.activeNames(context.task.bindings));
  const batch = requested.map((call, at) => {
    const read = at < MAX_BATCH_CALLS ? readBatchCall(context, call, active) : callLeftOut(call);
    return { ...read, number: read.state.phase === 'answered' ? callsMade : number++ };
  });
  return { batch, callsMade: number };
}

/**
 * Requests approvals and makes calls that are ready, as far as the run's concurrency allows. After a call could not
 * begin, no other call begins, because the task is going to fail. The approval rules are evaluated immediately before a
 * call begins, because people may edit the state until then.
 */
export function beginBatch(context: ToolBatchContext, { batch, callsMade, inside }: BatchProgress): BatchProgress {
  const checked = batch.map((call) => checkApproval(context, fillFixed(context, call)));
  let isFailing = failureIn(checked.map(({ call }) => call)) !== null;
  const begun = checked.map(({ call, needsApproval }) => {
    const next = isFailing
      ? call
      : attemptCallStep(call, (state) => beginCallStep(context, { call, needsApproval }, state));
    isFailing ||= next.state.phase === 'failed';
    return next;
  });
  return { batch: begun, callsMade, ...withBegunGraphs(context, batch, begun, inside) };
}

/** Passes an input to the call of the batch that waits for it. New calls begin later, in `beginBatch`. */
export function resumeBatch(context: ToolBatchContext, progress: BatchProgress, input: TaskInput): BatchProgress {
  const { batch, inside } = progress;
  const index = batch.findIndex((call) => awaitsInput(call, input));
  const awaiting = batch[index];
  if (!awaiting) return progress;
  const { call, callsMade } = resumeCall(context, { call: awaiting, callsMade: progress.callsMade }, input);
  const hasEnded = awaiting.state.phase === 'inside' && call.state.phase === 'answered';
  const graphs = hasEnded ? withoutFinishedGraph(inside, call.number) : inside && { inside };
  return { batch: batch.with(index, call), callsMade, ...graphs };
}

/**
 * Resets a batch of a failed task or an ended run: open calls, calls that could not begin and pending approvals become
 * ready again. Answers, interventions and graphs that still run as calls stay.
 */
export function resetBatch(batch: ToolBatch, inside?: Scope): ToolBatch {
  const graphs = new Set(inside ? tasksOfScope(inside).map(({ index }) => index) : []);
  return batch.map((call) => {
    const { state } = call;
    // A call that was answered without being made has the number of the next one.
    if (state.phase !== 'answered' && graphs.has(call.number)) return { ...call, state: { phase: 'inside' } };
    switch (state.phase) {
      case 'open':
        return { ...call, state: { phase: 'ready', isApproved: true } };
      case 'reading':
        return { ...call, state: { phase: 'unread', isApproved: state.isApproved } };
      case 'asked':
        return { ...call, state: NOT_ASKED };
      case 'failed':
        return { ...call, state: { phase: state.isUnread ? 'unread' : 'ready', isApproved: state.isApproved } };
      default:
        return call;
    }
  });
}

/** Returns the numbers of the calls of a batch that are still to be made. */
export function callsToMake(batch: ToolBatch): readonly number[] {
  return batch.flatMap(({ state, number }) => (TO_MAKE.has(state.phase) ? [number] : []));
}

const TO_MAKE: ReadonlySet<CallState['phase']> = new Set(['ready', 'unread', 'reading']);

/** Returns the answers as messages, in the order of the calls. */
export function batchAnswers(batch: ToolBatch): readonly NewMessage[] {
  return batch.map(({ id, name, state }) => ({
    role: 'tool',
    toolCallId: id,
    name,
    content: state.phase === 'answered' ? state.content : '',
    ...(state.phase === 'answered' && state.files && { files: state.files }),
  }));
}

function readBatchCall(
  { task, tools }: ToolBatchContext,
  { id, name, args }: ToolCall,
  active: ReadonlySet<string>,
): Omit<BatchCall, 'number'> {
  const call = toUnreadCall({ id, name, args });
  const tool = active.has(name) ? tools.find(name) : null;
  if (!tool) return { ...call, state: answered(toolNotFound(name)) };
  const refusal = tool.refuse(task.editors);
  if (refusal !== null) return { ...call, state: answered(failureNote(refusal)) };
  if (!tool.fixed) return { ...call, ...readCallArgs(tool, args, 'model') };
  const problem = refuseFixedArguments(name, tool.fixed, args);
  if (problem !== null) return { ...call, state: answered(failureNote(problem)) };
  return { ...call, fixed: { free: args, values: null }, state: NOT_ASKED };
}

/**
 * Fills the fixed arguments of a call that waits to begin, and reads all its arguments. It does so again while nobody has
 * approved the call, because people may edit the state until then.
 */
function fillFixed({ task, tools }: ToolBatchContext, call: BatchCall): BatchCall {
  const tool = tools.find(call.tool);
  return attemptCallStep(call, ({ isApproved }) => {
    const { fixed } = call;
    if (!tool?.fixed || !fixed || isApproved || call.isEdited) return call;
    const values = tool.fixed.fill(task.bindings);
    if (fixed.values && deepEqual(values, fixed.values)) return call;
    const { given: _given, isRead: _isRead, ...unread } = call;
    const args = withFixedArguments(fixed.free, values);
    const giver = call.tool === call.name ? 'model' : 'tool';
    return { ...unread, fixed: { ...fixed, values }, ...readCallArgs(tool, args, giver) };
  });
}

/**
 * Withdraws the approvals of calls whose fixed arguments are filled otherwise on the edited state. These calls begin
 * again, with new approvals.
 * @param mayCompute false to withdraw every approval with fixed arguments
 * @returns the new batch; `null` if nothing has changed
 */
export function withdrawOutdatedCalls(
  { task, tools }: ToolBatchContext,
  batch: ToolBatch,
  mayCompute: boolean,
): ToolBatch | null {
  const outdated = batch.filter(
    (call) => isFilledAndAsked(call) && !(mayCompute && isUpToDate(tools.find(call.tool), call, task.bindings)),
  );
  if (outdated.length === 0) return null;
  for (const { state } of outdated) {
    if (state.phase !== 'asked') continue;
    task.withdrawApproval(state.approvalId);
    task.cancelTimer(state.timerId);
  }
  return batch.map((call) => (outdated.includes(call) ? { ...call, state: NOT_ASKED } : call));
}

function isFilledAndAsked({ state, fixed, isEdited }: BatchCall): boolean {
  return state.phase === 'asked' && fixed !== undefined && !isEdited;
}

/** A value that can't be filled any more counts as another one: the call begins again, and fails. */
function isUpToDate(tool: CallableTool | null, { fixed }: BatchCall, bindings: Bindings): boolean {
  if (!tool?.fixed || !fixed?.values) return true;
  try {
    return deepEqual(tool.fixed.fill(bindings), fixed.values);
  } catch (error) {
    if (error instanceof GraphError) return false;
    throw error;
  }
}

function callLeftOut(call: ToolCall): Omit<BatchCall, 'number'> {
  const note = failureNote(`One message may ask for ${MAX_BATCH_CALLS} calls; this one came later`);
  return { ...toUnreadCall(call), args: null, state: answered(note) };
}

function toUnreadCall({ id, name, args }: ToolCall) {
  return { id, name, tool: name, args, isEdited: false, takeover: 0 };
}

type WaitingState = CallState & { readonly phase: 'ready' | 'unread' };

/** Runs a step of a call that waits to begin. If the step throws a `GraphError`, the call has failed to begin. */
function attemptCallStep(call: BatchCall, take: (state: WaitingState) => BatchCall): BatchCall {
  const { state } = call;
  if (state.phase !== 'ready' && state.phase !== 'unread') return call;
  try {
    return take(state);
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    const failure = { callFailed: false, error: toRunError(error) };
    const unread = state.phase === 'unread' && { isUnread: true as const };
    return { ...call, state: { phase: 'failed', failure, isApproved: state.isApproved, ...unread } };
  }
}

function beginCallStep(
  context: ToolBatchContext,
  { call, needsApproval }: CheckedCall,
  state: WaitingState,
): BatchCall {
  if (state.phase === 'unread') return beginBatchReading(context, call, state);
  return needsApproval ? askAboutCall(context, call) : beginCall(context, call);
}

function beginBatchReading({ task, tools, leftMs }: ToolBatchContext, call: BatchCall, state: WaitingState): BatchCall {
  const tool = tools.find(call.tool);
  if (!tool) return { ...call, state: answered(toolNotFound(call.tool)) };
  if (!task.hasCapacity()) return call;
  const key = task.read(call.number, tool.reading(call.args, leftMs()));
  return { ...call, state: { phase: 'reading', key, isApproved: state.isApproved } };
}

interface CheckedCall {
  readonly call: BatchCall;
  readonly needsApproval: boolean;
}

/** Evaluates the approval rules for a ready call that is not approved. */
function checkApproval({ task, tools }: ToolBatchContext, call: BatchCall): CheckedCall {
  const tool = tools.find(call.tool);
  let needsApproval = false;
  const checked = attemptCallStep(call, ({ phase, isApproved }) => {
    if (phase === 'unread') return call;
    needsApproval = !isApproved && tool?.needsApproval({ ...task.bindings, args: call.args }) === true;
    const memory = call.memory ?? tool?.memory(task.bindings);
    return { ...call, ...(memory !== undefined && { memory }) };
  });
  return { call: checked, needsApproval };
}

function askAboutCall({ task, tools }: ToolBatchContext, call: BatchCall): BatchCall {
  const because = `A model asks for it in call ${call.id}`;
  const fixed = Object.keys(call.fixed?.values ?? {});
  const question = tools.find(call.tool)?.question(call.args, { because, memory: call.memory, fixed });
  return question ? { ...call, state: { phase: 'asked', ...task.requestApproval(question) } } : call;
}

function beginCall({ task, tools, leftMs }: ToolBatchContext, call: BatchCall): BatchCall {
  const tool = tools.find(call.tool);
  if (!tool) return { ...call, state: answered(toolNotFound(call.tool)) };
  if (!task.hasCapacity()) return call;
  const refusal = tool.refuse(task.editors);
  if (refusal !== null) return { ...call, state: answered(failureNote(refusal)) };
  if (tool.graph) return beginGraph({ task, tools, leftMs }, call, tool);
  const key = task.call(
    call.number,
    tool.request(call.args, {
      leftMs: leftMs(),
      memory: call.memory,
      isApproved: call.approvedByPerson === true,
      isRead: call.isRead === true,
    }),
    call.takeover,
  );
  return { ...call, state: { phase: 'open', key } };
}

function beginGraph({ task, leftMs }: ToolBatchContext, call: BatchCall, tool: CallableTool): BatchCall {
  leftMs();
  task.beginGraph(call.number, tool.name, call.args);
  return { ...call, begunAt: task.now, state: { phase: 'inside' } };
}

/**
 * True if a call waits for an input. Replies are matched by key, approvals and timers by id, interventions by number.
 */
function awaitsInput(call: BatchCall, input: TaskInput): boolean {
  const id = awaitedIdOf(input);
  return id !== null && awaitedIds(call).includes(id);
}

function awaitedIdOf(input: TaskInput): string | number | null {
  switch (input.kind) {
    case 'call.completed':
    case 'call.failed':
      return input.key;
    case 'approval.closed':
      return input.approval.id;
    case 'timer':
      return input.id;
    case 'call.repeated':
    case 'call.skipped':
    case 'graph.finished':
    case 'graph.failed':
      return input.number;
    default:
      return null;
  }
}

function awaitedIds({ number, state }: BatchCall): readonly (string | number)[] {
  switch (state.phase) {
    case 'open':
    case 'reading':
      return [state.key];
    case 'asked':
      return [state.approvalId, state.timerId];
    case 'intervention':
    case 'inside':
      return [number];
    default:
      return [];
  }
}

/*
 * A graph that runs as a tool call is a task of its own, in a scope inside the task that makes the calls. The scope
 * exists while it has a task. It has no supersteps and no channels.
 */

/** Adds the tasks of calls that have begun as graphs since an earlier state of their batch. */
function withBegunGraphs(
  { tools, leftMs }: ToolBatchContext,
  before: ToolBatch,
  batch: ToolBatch,
  inside: Scope | undefined,
): Pick<WithGraphCalls, 'inside'> {
  const begun = batch.flatMap((call, at) => {
    const isBegun = call.state.phase === 'inside' && before[at]?.state.phase !== 'inside';
    const graph = isBegun ? tools.find(call.tool)?.graph : null;
    return graph ? [toGraphTask(call, graph, leftMs())] : [];
  });
  return withInsideScope(inside, [...tasksOfScope(inside ?? NO_GRAPHS), ...begun]);
}

/** Removes the task of a call whose result has been processed. */
function withoutFinishedGraph(inside: Scope | undefined, number: number): Pick<WithGraphCalls, 'inside'> {
  return withInsideScope(
    inside,
    tasksOfScope(inside ?? NO_GRAPHS).filter(({ index }) => index !== number),
  );
}

function withInsideScope(inside: Scope | undefined, tasks: readonly NodeTask[]): Pick<WithGraphCalls, 'inside'> {
  return tasks.length === 0 ? {} : { inside: { ...(inside ?? NO_GRAPHS), at: { kind: 'running', tasks } } };
}

const NO_GRAPHS: Scope = {
  step: 0,
  channels: {},
  at: { kind: 'running', tasks: [] },
  deferred: [],
  joins: {},
  visits: {},
  messages: 0,
  widest: 0,
};

function toGraphTask({ tool, number, args }: BatchCall, { channels }: CallableGraph, leftMs: number | null): NodeTask {
  const saved = {
    kind: 'subgraph',
    scope: freshScope(channels),
    input: graphCallInput(args),
    ...(leftMs !== null && { countdown: newCountdown(leftMs) }),
  } as const;
  return {
    key: taskKey(tool, number),
    node: tool,
    visit: 1,
    index: number,
    item: null,
    group: null,
    retryRound: 0,
    takeover: 0,
    state: { phase: 'ready', saved },
  };
}
