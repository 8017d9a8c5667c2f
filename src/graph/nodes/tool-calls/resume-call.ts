import type { Approval } from '../../run/approval.ts';
import { NOT_ASKED, answered } from '../../run/tool-batch.ts';
import type { BatchCall, CallState } from '../../run/tool-batch.ts';
import type { TaskFailure } from '../../values/errors.ts';
import { deepEqual } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { toText } from '../../values/text.ts';
import type { TaskInput, TaskContext } from '../behavior.ts';
import type { CallableTool, ToolBatchContext } from './callable-tool.ts';
import { editedNote, failureNote, rejectionNote } from './messages.ts';

/** A call, and how many the task has made. */
export interface CallWork {
  readonly call: BatchCall;
  readonly callsMade: number;
}

/** What becomes of a call when what it waited for has happened. */
export function resumeCall(place: ToolBatchContext, { call, callsMade }: CallWork, happening: TaskInput): CallWork {
  const { task } = place;
  switch (happening.kind) {
    case 'call.completed':
      return { call: withResult(call, happening.reply.kind === 'value' ? happening.reply.value : null), callsMade };
    case 'call.failed':
      return afterFailure(place, { call, callsMade }, happening.failure);
    case 'call.skipped':
      return { call: withResult(call, happening.output), callsMade };
    case 'call.ordered':
      return orderAgain({ call, callsMade });
    case 'timer':
      return { call: expire(task, call), callsMade };
    case 'approval.closed':
      return { call: afterApproval(task, call, happening.approval), callsMade };
    default:
      return { call, callsMade };
  }
}

function withResult(call: BatchCall, result: Json): BatchCall {
  return tell(call, result === null ? SUCCESS : toText(result));
}

/** The model is told what became of the call, and what it does not know of it. */
function tell(call: BatchCall, text: string): BatchCall {
  return { ...call, state: answered(call.isEdited ? text + editedNote(call.args) : text) };
}

/** What a tool is told to have answered that returns nothing. */
const SUCCESS = 'Success';

function expire(task: TaskContext, call: BatchCall): BatchCall {
  if (call.state.phase === 'asked') task.expireApproval(call.state.approvalId, 'expired');
  return { ...call, state: answered(rejectionNote('Nobody approved it in time')) };
}

/** Whoever approves may change the arguments; they have been checked again then. */
function afterApproval(task: TaskContext, call: BatchCall, approval: Approval): BatchCall {
  if (call.state.phase === 'asked') task.cancelTimer(call.state.timerId);
  const last = approval.decisions.at(-1);
  if (approval.status !== 'approved') {
    const reason = last?.reason ?? null;
    return {
      ...call,
      state: answered(rejectionNote(reason === null ? 'A person said no' : `A person said: ${reason}`)),
    };
  }
  const isEdited = call.isEdited || !deepEqual(approval.args, call.args);
  return { ...call, args: approval.args, isEdited, state: { phase: 'ready', isApproved: true } };
}

/** A failed call is told to the model, made by another tool, or waits for a person, as its tool says. */
function afterFailure(place: ToolBatchContext, { call, callsMade }: CallWork, failure: TaskFailure): CallWork {
  const { error } = failure;
  const { task, tools } = place;
  const word = tools.find(call.tool)?.onFailure ?? 'tell';
  if (task.asksPeople && (error.code === 'UNKNOWN_OUTCOME' || word === 'intervene'))
    return { call: { ...call, state: { phase: 'intervention', failure, since: task.at } }, callsMade };
  const isNext = word !== 'tell' && error.code !== 'UNKNOWN_OUTCOME' && !toolsTried(tools, call).has(word);
  const other = isNext ? tools.find(word) : null;
  return other
    ? { call: byOtherTool(task, { ...call, number: callsMade, takeover: 0 }, other), callsMade: callsMade + 1 }
    : { call: tell(call, failureNote(messageOf(error))), callsMade };
}

/** The tools that a call has been made of: that which was asked for, and those that were named where it failed. */
function toolsTried(tools: ToolBatchContext['tools'], { name, tool }: BatchCall): ReadonlySet<string> {
  const tried = new Set([name, tool]);
  for (let last = name; last !== tool; last = tools.find(last)?.onFailure ?? tool) tried.add(last);
  return tried;
}

/** The same call, of another tool. */
function byOtherTool(task: TaskContext, call: BatchCall, tool: CallableTool): BatchCall {
  const problem = tool.refuse(task.createdBy) ?? tool.checkArguments(call.args);
  const other = { ...call, tool: tool.name };
  return problem === null ? { ...other, state: NOT_ASKED } : tell(other, failureNote(problem));
}

/** What an error says of the inside of the installation is none of a model's business. */
function messageOf({ code, message }: TaskFailure['error']): string {
  return code === 'BLOCKED_URL' ? 'its address is blocked' : message;
}

/** A person has a call made after all: under a new key when it is known to have failed, else under its old one. */
function orderAgain({ call, callsMade }: CallWork): CallWork {
  const { state, takeover } = call;
  if (state.phase !== 'intervention') return { call, callsMade };
  const approved: CallState = { phase: 'ready', isApproved: true };
  return state.failure.callFailed
    ? { call: { ...call, number: callsMade, takeover: 0, state: approved }, callsMade: callsMade + 1 }
    : { call: { ...call, takeover: takeover + 1, state: approved }, callsMade };
}
