import type { NodeOfType } from '../definition/definition.ts';
import { RESULT_NAMES } from '../expression/names.ts';
import type { Bindings } from '../expression/names.ts';
import type { Approval } from '../run/approval.ts';
import type { ApprovalPosition, ApprovedPosition, NodePosition, ReadingPosition } from '../run/scope.ts';
import { deepEqual } from '../values/compare-json.ts';
import type { Json } from '../values/json.ts';
import { closeApproval, refusedCallError } from './approval.ts';
import { taskDone, taskFailed, failedBecause, unexpectedInput } from './behavior.ts';
import type {
  NodeBehavior,
  TaskProgress,
  ApprovalQuestion,
  TaskContext,
  TaskInput,
  CompensatingCall,
  Compensator,
} from './behavior.ts';
import { gotoOrResult } from './code-nodes.ts';
import { parseTemplatedField } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import { compileCallable } from './tool-calls/callable-tool.ts';
import type { CallableTool } from './tool-calls/callable-tool.ts';
import { toolNotFound } from './tool-calls/messages.ts';
import { compileToolCalls } from './tool-calls/tool-calls.ts';
import { parseTemplate } from '../expression/template.ts';
import { GraphError } from '../values/errors.ts';

/**
 * Compiles a `tool` node. It makes one call, whose reply is the result, or the calls that a channel's last message
 * requests.
 */
export function compileTool(node: NodeOfType<'tool'>, settings: NodeSettings): NodeBehavior {
  if (node.calls !== undefined) return compileToolCalls(node, settings);
  const compensate = compileCompensation(node, settings);
  return { ...compileOneCall(node, settings), ...(compensate && { compensate }) };
}

/** A `tool` node that names its tool. */
type OneCallNode = Extract<NodeOfType<'tool'>, { readonly calls?: never }>;

function compileOneCall(node: OneCallNode, settings: NodeSettings): NodeBehavior {
  const { tool: name } = node;
  const tool = compileCallable(name, { node, settings, approve: {}, asksForUnsafe: false });
  const args = parseTemplatedField('args', node.args, {});
  if (!tool) return { start: () => toolNotFoundFailure(name), resume: () => toolNotFoundFailure(name) };
  const calling: ToolOfNode = { tool, because: `Node ${settings.id} calls it` };
  return {
    fillQuestion: (bindings, position) => questionOn(calling, bindings, args.fill(bindings), position.read),
    start(task) {
      const given = args.fill(task.bindings);
      const refusal = tool.refuse(task.editors);
      if (refusal !== null) return failedBecause('TOOL_FAILED', refusal);
      return readNodeCall(calling, task, { given, args: given, byPerson: false });
    },
    resume(task, position, input) {
      if (input.kind === 'call.failed') return taskFailed(input.failure);
      switch (position.kind) {
        case 'reading':
          return decideOrCall(calling, task, toReadCall(position, input));
        case 'approval': {
          const approval = closeApproval(task, position, 'expired', input);
          return afterDecision(calling, task, approval, position.read);
        }
        case 'approved':
          return position.isReady ? makeToolCall(tool, task, position) : readNodeCall(calling, task, position);
        default:
          return finishCall(node, position, input);
      }
    },
  };
}

/** The tool that a node calls, and the reason for the call that approvals contain. */
interface ToolOfNode {
  readonly tool: CallableTool;
  readonly because: string;
}

function toolNotFoundFailure(name: string): TaskProgress {
  return failedBecause('TOOL_NOT_FOUND', toolNotFound(name));
}

type GivenCall = Pick<ApprovedPosition, 'given' | 'args' | 'byPerson'>;

/**
 * Reads the arguments, and applies the approval rule to the outcome. An approval of other arguments does not cover
 * them.
 */
function readNodeCall(
  calling: ToolOfNode,
  task: TaskContext,
  { given, args: written, byPerson }: GivenCall,
): TaskProgress {
  const { tool } = calling;
  const read = tool.readArguments(written);
  if ('problem' in read) return failedBecause('INVALID_TOOL_ARGUMENTS', read.problem);
  const { args } = read;
  const isApproved = byPerson && deepEqual(args, written);
  if (!tool.needsReading) return decideOrCall(calling, task, { given, args, byPerson: isApproved });
  if (!task.hasCapacity())
    return { kind: 'open', position: { kind: 'approved', given, args, byPerson: isApproved, isReady: false } };
  const key = task.read(0, tool.reading(args, null));
  return { kind: 'open', position: { kind: 'reading', key, tool: tool.name, given, args, isApproved } };
}

/** Returns the call with what the tool's own schema has made of its arguments. */
function toReadCall(position: ReadingPosition, input: TaskInput): GivenCall {
  if (input.kind !== 'call.completed' || input.reply.kind !== 'value') throw unexpectedInput(position);
  const { value: args } = input.reply;
  return { given: position.given, args, byPerson: position.isApproved && deepEqual(args, position.args) };
}

/** Requests an approval of a call if its tool's rule requires one; otherwise makes the call. */
function decideOrCall({ tool, because }: ToolOfNode, task: TaskContext, call: GivenCall): TaskProgress {
  const { given, args } = call;
  if (call.byPerson || !tool.needsApproval({ ...task.bindings, args }))
    return makeToolCall(tool, task, { ...call, isReady: true });
  const asked = task.requestApproval(tool.question(args, { because }));
  const read = tool.needsReading && { read: { given, args } };
  return { kind: 'open', position: { kind: 'approval', ...asked, ...read } };
}

/**
 * Returns the question for another state; `null` if the question does not arise on that state.
 * @param given the arguments that the node gives on that state
 */
function questionOn(
  { tool, because }: ToolOfNode,
  bindings: Bindings,
  given: Json,
  read: ApprovalPosition['read'],
): ApprovalQuestion | null {
  if (read) return deepEqual(given, read.given) ? tool.question(read.args, { because }) : null;
  const now = tool.readArguments(given);
  if ('problem' in now || !tool.needsApproval({ ...bindings, args: now.args })) return null;
  return tool.question(now.args, { because });
}

/**
 * Makes the call with the arguments that a person has approved. Arguments that the person has edited are read again.
 */
function afterDecision(
  calling: ToolOfNode,
  task: TaskContext,
  approval: Approval,
  read: ApprovalPosition['read'],
): TaskProgress {
  const { tool } = calling;
  const error = refusedCallError(tool.name, approval);
  if (error) return taskFailed({ callFailed: false, error });
  const { args, askedArgs = args } = approval;
  const call = { given: read?.given ?? askedArgs, args, byPerson: true };
  return deepEqual(args, askedArgs)
    ? makeToolCall(tool, task, { ...call, isReady: true })
    : readNodeCall(calling, task, call);
}

type ReadCall = Omit<ApprovedPosition, 'kind'>;

/** Makes the call, or waits for the capacity to make it. */
function makeToolCall(tool: CallableTool, task: TaskContext, call: ReadCall): TaskProgress {
  if (!task.hasCapacity()) return { kind: 'open', position: { ...call, kind: 'approved' } };
  const refusal = tool.refuse(task.editors);
  if (refusal !== null) return failedBecause('TOOL_FAILED', refusal);
  const { args, byPerson } = call;
  const terms = { leftMs: null, isApproved: byPerson, isRead: tool.needsReading };
  const key = task.call(0, tool.request(args, terms));
  return { kind: 'open', position: { kind: 'call', key, tool: tool.name, args } };
}

function finishCall({ mayGoto }: OneCallNode, position: NodePosition, input: TaskInput): TaskProgress {
  if (input.kind !== 'call.completed' || input.reply.kind !== 'value') throw unexpectedInput(position);
  const { value } = input.reply;
  return mayGoto === undefined ? taskDone(value) : gotoOrResult(value, mayGoto);
}

/**
 * Compiles `compensate` of a tool node, whose arguments may use the `result` of the node's call; `null` if it is
 * absent.
 */
function compileCompensation({ compensate }: NodeOfType<'tool'>, settings: NodeSettings): Compensator | null {
  if (!compensate) return null;
  const { tool: name } = compensate;
  const filler = parseTemplate(compensate.args ?? {}, RESULT_NAMES, 'compensate.args');
  const node = { execution: 'activity' } as const;
  const tool = compileCallable(name, { node, settings, approve: {}, asksForUnsafe: false });
  const found = (): CallableTool => {
    if (tool) return tool;
    throw new GraphError('TOOL_NOT_FOUND', toolNotFound(name));
  };
  return {
    fill(bindings, editors) {
      const refusal = found().refuse(editors);
      if (refusal !== null) throw new GraphError('TOOL_FAILED', refusal);
      return readCompensatingCall(found(), filler.fill(bindings));
    },
    read: (args) => readCompensatingCall(found(), args),
    needsApproval: (args) => found().needsApproval({ args }),
  };
}

function readCompensatingCall(tool: CallableTool, given: Json): CompensatingCall {
  const read = tool.readArguments(given);
  if ('problem' in read) throw new GraphError('INVALID_TOOL_ARGUMENTS', read.problem);
  const { args } = read;
  const request = tool.request(args, { leftMs: null, isApproved: false, isRead: false });
  return tool.needsReading
    ? { request, reading: tool.reading(args, null), needsApproval: false }
    : { request, needsApproval: tool.needsApproval({ args }) };
}
