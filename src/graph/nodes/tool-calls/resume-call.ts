import type { Approval } from '../../run/approval.ts';
import { NOT_ASKED, answered } from '../../run/tool-batch.ts';
import type { CallReply } from '../../run/effect.ts';
import type { BatchCall, CallState } from '../../run/tool-batch.ts';
import type { StoredFilePart } from '../../definition/message.ts';
import { failsTheRun, isUnknownOutcome } from '../../values/errors.ts';
import type { TaskFailure } from '../../values/errors.ts';
import { MAX_VALUE_BYTES, remainingBytes, tooLargeError } from '../../values/json-size.ts';
import { toTemplateText } from '../../values/json.ts';
import { deepEqual } from '../../values/compare-json.ts';
import type { Json } from '../../values/json.ts';
import type { TaskContext, TaskInput } from '../behavior.ts';
import type { CallableTool, ArgumentSource, ToolBatchContext, ToolsOfNode } from './callable-tool.ts';
import { filesInResult } from './files-in-result.ts';
import { withoutFixedArguments } from './fixed-arguments.ts';
import { editedNote, failureNote, rejectionNote } from './messages.ts';

/** A call of a batch in the task that makes it. */
export interface CallProgress {
  readonly call: BatchCall;
  /** The number of calls made so far by the task; also the number of the next one. */
  readonly callsMade: number;
}

/** Continues a call with the input that it waits for. */
export function resumeCall(context: ToolBatchContext, progress: CallProgress, input: TaskInput): CallProgress {
  const { call, callsMade } = progress;
  const { state } = call;
  return state.phase === 'reading'
    ? { call: afterReading(call, state, input), callsMade }
    : resumeRead(context, progress, input);
}

/** Continues a call after the reading of its arguments. */
function resumeRead(context: ToolBatchContext, progress: CallProgress, input: TaskInput): CallProgress {
  const { task } = context;
  const { call, callsMade } = progress;
  switch (input.kind) {
    case 'call.completed':
      return { call: answerWithReply(call, input.reply), callsMade };
    case 'call.failed':
      return reactToFailure(context, progress, input.failure);
    case 'graph.finished':
      return { call: answerWithOutput(call, input.output), callsMade };
    case 'graph.failed':
      return { call: withGraphFailure(call, input.failure), callsMade };
    case 'call.skipped':
      return { call: answerWithResult(call, input.output), callsMade };
    case 'call.repeated':
      return readyAgain(progress);
    case 'timer':
      return { call: answerExpired(task, call), callsMade };
    case 'approval.closed':
      return { call: applyDecision(context, call, input.approval), callsMade };
    default:
      return progress;
  }
}

/**
 * Reads the arguments of a call for its tool. A problem becomes the answer of the call. If the tool's own schema must
 * read the arguments, they stay marked as unread.
 */
export function readCallArgs(
  tool: CallableTool,
  given: Json,
  giver: ArgumentSource,
): Pick<BatchCall, 'args' | 'given' | 'state'> {
  const read = tool.readArguments(given, giver);
  if ('problem' in read) return { args: given, state: answered(failureNote(read.problem)) };
  const state: CallState = tool.needsReading ? { phase: 'unread', isApproved: false } : NOT_ASKED;
  return { args: read.args, ...(!deepEqual(read.args, given) && { given }), state };
}

type ReadingState = CallState & { readonly phase: 'reading' };

/**
 * Stores what the tool's own schema has made of arguments. If a person has approved other arguments, the approval is
 * void.
 */
function afterReading(call: BatchCall, { isApproved }: ReadingState, input: TaskInput): BatchCall {
  if (input.kind === 'call.failed') return answerCall(call, failureNote(messageForModel(input.failure.error)));
  if (input.kind !== 'call.completed' || input.reply.kind !== 'value') return call;
  const { value: args } = input.reply;
  const isSame = deepEqual(args, call.args);
  const read = { ...call, args, isRead: true, ...(!isSame && { given: call.given ?? call.args }) } as const;
  return isApproved && isSame ? markApproved(read) : { ...read, state: NOT_ASKED };
}

function markApproved(call: BatchCall): BatchCall {
  return { ...call, approvedByPerson: true, state: { phase: 'ready', isApproved: true } };
}

function answerWithReply(call: BatchCall, reply: CallReply): BatchCall {
  return reply.kind === 'value' ? answerWithResult(call, reply.value, reply.files) : answerWithResult(call, null);
}

/** @param beside files of the answer for which the result has no member */
function answerWithResult(call: BatchCall, result: Json, beside: readonly StoredFilePart[] = []): BatchCall {
  const text = result === null ? EMPTY_RESULT : toTemplateText(result);
  return { ...answerCall(call, text, filesInResult(result, beside)), hasResult: true };
}

/** The answer to a call whose tool returns nothing. */
const EMPTY_RESULT = 'Success';

/** Answers a call with the output of its graph, unless the output is larger than the result of any tool may be. */
function answerWithOutput(call: BatchCall, output: Json): BatchCall {
  if (remainingBytes(MAX_VALUE_BYTES, output) >= 0) return answerWithResult(call, output);
  return answerCall(call, failureNote(tooLargeError(`The output of ${call.tool}`).message));
}

/**
 * Answers a call with the reason why its graph has failed. If the failure is outside the graph's own work, the task
 * fails, and a retry continues.
 */
function withGraphFailure(call: BatchCall, failure: TaskFailure): BatchCall {
  if (failsTheRun(failure.error)) return { ...call, state: { phase: 'failed', failure, isApproved: true } };
  return answerCall(call, failureNote(messageForModel(failure.error)));
}

/** Answers a call. The answer also reports arguments that a person has edited. */
function answerCall(call: BatchCall, text: string, files: readonly StoredFilePart[] = []): BatchCall {
  const visible = withoutFixedArguments(call.args, call.fixed?.values ?? null);
  return { ...call, state: answered(call.isEdited ? text + editedNote(visible) : text, files) };
}

/**
 * Continues after a failed call by its tool's `onFailure`: the call waits for a person, another tool is called, or the
 * model gets the error. A call of unknown outcome waits for a person, if the run may ask people.
 */
function reactToFailure(
  context: ToolBatchContext,
  { call, callsMade }: CallProgress,
  failure: TaskFailure,
): CallProgress {
  const { error } = failure;
  const { task, tools } = context;
  const onFailure = tools.find(call.tool)?.onFailure ?? 'tell';
  const isUnknown = isUnknownOutcome(error);
  if (task.asksPeople && (isUnknown || onFailure === 'intervene'))
    return { call: { ...call, state: { phase: 'intervention', failure, since: task.timestamp } }, callsMade };
  const isUntried = onFailure !== 'tell' && !isUnknown && !toolsTried(tools, call).has(onFailure);
  const next = isUntried ? tools.find(onFailure) : null;
  return next
    ? { call: redirectCall(task, { ...call, number: callsMade, takeover: 0 }, next), callsMade: callsMade + 1 }
    : { call: answerCall(call, failureNote(messageForModel(error))), callsMade };
}

/**
 * Returns the tools that have been called for a request: the requested one, then each that the one before names in
 * `onFailure`.
 */
function toolsTried(tools: ToolsOfNode, { name, tool }: BatchCall): ReadonlySet<string> {
  const tried = new Set([name, tool]);
  for (let last = name; last !== tool; last = tools.find(last)?.onFailure ?? tool) tried.add(last);
  return tried;
}

/** Calls another tool with the arguments of the first one, which are read by the other tool's schema. */
function redirectCall(task: TaskContext, call: BatchCall, tool: CallableTool): BatchCall {
  const { approvedByPerson: _approved, isRead: _isRead, given = call.args, ...others } = call;
  const redirected = { ...others, args: given, tool: tool.name };
  const refusal = tool.refuse(task.editors);
  if (refusal !== null) return answerCall(redirected, failureNote(refusal));
  if (!tool.fixed) return readArgsAgain(redirected, tool, 'tool');
  return { ...redirected, fixed: { free: given, values: null }, state: NOT_ASKED };
}

function readArgsAgain(call: BatchCall, tool: CallableTool, giver: ArgumentSource): BatchCall {
  const read = { ...call, ...readCallArgs(tool, call.args, giver) };
  return read.state.phase === 'answered' ? answerCall(read, read.state.content) : read;
}

/** Returns the message of an error without internals of the installation: a blocked URL may name a private address. */
function messageForModel({ code, message }: TaskFailure['error']): string {
  return code === 'BLOCKED_URL' ? 'its address is blocked' : message;
}

/**
 * Makes a call that a person repeats ready: under a new key if it is known to have failed, otherwise under its old key.
 * It stays approved if a person has approved it; otherwise the rules are evaluated again.
 */
function readyAgain({ call, callsMade }: CallProgress): CallProgress {
  const { state, takeover } = call;
  if (state.phase !== 'intervention') return { call, callsMade };
  const ready: CallState = { phase: 'ready', isApproved: call.approvedByPerson === true };
  return state.failure.callFailed
    ? { call: { ...call, number: callsMade, takeover: 0, state: ready }, callsMade: callsMade + 1 }
    : { call: { ...call, takeover: takeover + 1, state: ready }, callsMade };
}

function answerExpired(task: TaskContext, call: BatchCall): BatchCall {
  if (call.state.phase === 'asked') task.expireApproval(call.state.approvalId, 'expired');
  return { ...call, state: answered(rejectionNote('It was not approved in time', call)) };
}

/** Makes an approved call ready, or answers a rejected one. Arguments that a person has edited are read again. */
function applyDecision({ task, tools }: ToolBatchContext, call: BatchCall, approval: Approval): BatchCall {
  if (call.state.phase === 'asked') task.cancelTimer(call.state.timerId);
  if (approval.status !== 'approved') {
    const reason = approval.decisions.at(-1)?.reason ?? null;
    const note = rejectionNote(reason === null ? 'A person said no' : `A person said: ${reason}`, call);
    return { ...call, state: answered(note) };
  }
  const tool = tools.find(call.tool);
  return tool && !deepEqual(approval.args, call.args) ? readEditedCall(call, tool, approval.args) : markApproved(call);
}

/** An approval of edited arguments does not cover what the tool's schema makes of them if that differs. */
function readEditedCall(call: BatchCall, tool: CallableTool, args: Json): BatchCall {
  const { given: _given, isRead: _isRead, ...others } = call;
  const read = readArgsAgain({ ...others, args, isEdited: true }, tool, 'node');
  const { phase } = read.state;
  if (phase === 'answered' || !deepEqual(read.args, args)) return read;
  return phase === 'unread' ? { ...read, state: { phase, isApproved: true } } : markApproved(read);
}
