import type { NewMessage, ToolCall } from '../../definition/message.ts';
import { NOT_ASKED, answered, failureIn } from '../../run/tool-batch.ts';
import type { ToolBatch, BatchCall, CallState } from '../../run/tool-batch.ts';
import { GraphError, toRunError } from '../../values/errors.ts';
import type { TaskInput } from '../behavior.ts';
import type { ToolBatchContext } from './callable-tool.ts';
import { failureNote, toolNotFound } from './messages.ts';
import { resumeCall } from './resume-call.ts';
import type { CallWork } from './resume-call.ts';

/*
 * The tool calls that a model asks for in one turn. They run in parallel, each with its own key, retries and approval;
 * what goes wrong with one is told to the model, and the others go on.
 */

/** A batch being worked on, in the task that has it. */
export interface BatchWork {
  readonly batch: ToolBatch;
  /** Calls made so far by the task: the number of the next one. */
  readonly callsMade: number;
}

/** Reads what a model asks for: calls that can't be made are answered at once, the others are ready to begin. */
export function readBatch(place: ToolBatchContext, asked: readonly ToolCall[], made: number): BatchWork {
  let number = made;
  const batch = asked.map((call) => {
    const read = readCall(place, call);
    return { ...read, number: read.state.phase === 'ready' ? number++ : made };
  });
  return { batch, callsMade: number };
}

/**
 * Asks for approvals, and makes the calls that are ready, as far as so many may be out at a time; none once one of them
 * could not begin.
 */
export function beginBatch(place: ToolBatchContext, { batch, callsMade }: BatchWork): BatchWork {
  const judged = batch.map((call) => attempt(call, (state) => judge(place, call, state)));
  let isFailing = failureIn(judged) !== null;
  const begun = judged.map((call) => {
    const next = isFailing ? call : attempt(call, (state) => beginCall(place, call, state));
    isFailing ||= next.state.phase === 'failed';
    return next;
  });
  return { batch: begun, callsMade };
}

/** Takes in something that a call of the batch may have waited for; what it leads to is begun later. */
export function resumeBatch(place: ToolBatchContext, work: BatchWork, happening: TaskInput): BatchWork {
  const at = work.batch.findIndex((call) => concerns(call, happening));
  const call = work.batch[at];
  return call ? replace(work, at, resumeCall(place, { call, callsMade: work.callsMade }, happening)) : work;
}

/**
 * Readies a batch whose task had failed, or whose run had ended: calls that were out or could not begin, and approvals
 * that were pending, are asked for again. What is answered stays so, and so does what waits for a person.
 */
export function readyAgain(batch: ToolBatch): ToolBatch {
  return batch.map((call) => {
    const { state } = call;
    switch (state.phase) {
      case 'out':
        return { ...call, state: { phase: 'ready', isApproved: true } };
      case 'asked':
        return { ...call, state: NOT_ASKED };
      case 'failed':
        return { ...call, state: { phase: 'ready', isApproved: state.isApproved } };
      default:
        return call;
    }
  });
}

/** How many calls of a batch are still to be made. */
export function callsToMake(batch: ToolBatch): number {
  return batch.filter(({ state }) => state.phase === 'ready').length;
}

/** The answers as messages, in the order of the calls. */
export function answersOf(batch: ToolBatch): readonly NewMessage[] {
  return batch.map(({ id, name, state }) => ({
    role: 'tool',
    toolCallId: id,
    name,
    content: state.phase === 'answered' ? state.content : '',
  }));
}

function readCall({ task, tools }: ToolBatchContext, { id, name, args }: ToolCall): Omit<BatchCall, 'number'> {
  const call = { id, name, tool: name, args, isEdited: false, takeover: 0 };
  const tool = tools.findAllowed(name);
  if (!tool) return { ...call, state: answered(toolNotFound(name)) };
  const refusal = tool.refuse(task.createdBy);
  if (refusal !== null) return { ...call, state: answered(failureNote(refusal)) };
  const read = tool.readArguments(args);
  if ('problem' in read) return { ...call, state: answered(failureNote(read.problem)) };
  return { ...call, args: read.args, state: NOT_ASKED };
}

type Ready = CallState & { readonly phase: 'ready' };

/** Takes the next step of a call that is ready; where it can't be taken, the call has failed. */
function attempt(call: BatchCall, step: (state: Ready) => BatchCall): BatchCall {
  const { state } = call;
  if (state.phase !== 'ready') return call;
  try {
    return step(state);
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    const failure = { callFailed: false, error: toRunError(error) };
    return { ...call, state: { phase: 'failed', failure, isApproved: state.isApproved } };
  }
}

/** Approves a call of which nobody has to be asked. */
function judge({ task, tools }: ToolBatchContext, call: BatchCall, { isApproved }: Ready): BatchCall {
  const { bindings } = task;
  const isAsked = !isApproved && tools.find(call.tool)?.needsApproval({ ...bindings, args: call.args }) === true;
  return { ...call, state: { phase: 'ready', isApproved: !isAsked } };
}

function beginCall({ task, tools, leftMs }: ToolBatchContext, call: BatchCall, { isApproved }: Ready): BatchCall {
  const tool = tools.find(call.tool);
  if (!tool) return { ...call, state: answered(toolNotFound(call.tool)) };
  if (!isApproved) {
    const question = tool.question(call.args, `A model asks for it in call ${call.id}`);
    return { ...call, state: { phase: 'asked', ...task.requestApproval(question) } };
  }
  if (!task.hasCapacity()) return call;
  const key = task.call(call.number, tool.request(call.args, leftMs()), call.takeover);
  return { ...call, state: { phase: 'out', key } };
}

/** Whether a call waits for what has happened: a reply by its key, a decision or a timer by its id, a person by its number. */
function concerns(call: BatchCall, happening: TaskInput): boolean {
  const name = nameIn(happening);
  return name !== null && namesAwaited(call).includes(name);
}

function nameIn(happening: TaskInput): string | number | null {
  switch (happening.kind) {
    case 'call.completed':
    case 'call.failed':
      return happening.key;
    case 'approval.closed':
      return happening.approval.id;
    case 'timer':
      return happening.id;
    case 'call.ordered':
    case 'call.skipped':
      return happening.number;
    default:
      return null;
  }
}

function namesAwaited({ number, state }: BatchCall): readonly (string | number)[] {
  switch (state.phase) {
    case 'out':
      return [state.key];
    case 'asked':
      return [state.approvalId, state.timerId];
    case 'intervention':
      return [number];
    default:
      return [];
  }
}

function replace({ batch }: BatchWork, at: number, { call, callsMade }: CallWork): BatchWork {
  return { batch: batch.with(at, call), callsMade };
}
