import type { NodeOfType } from '../definition/definition.ts';
import type { Bindings } from '../expression/expression.ts';
import type { Approval } from '../run/approvals/approval.ts';
import type { ApprovedPosition, NodePosition } from '../run/scope.ts';
import type { Json } from '../values/json.ts';
import { closeApproval } from './approval.ts';
import { done, failed, failedBecause, unexpected } from './behavior.ts';
import type { NodeBehavior, Progress, Question, TaskContext, TaskInput } from './behavior.ts';
import { compileCompensation } from './compensation.ts';
import { field } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import { refusedCallError } from './refused-approval.ts';
import { compileCallable } from './tool-calls/callable-tool.ts';
import type { CallableTool } from './tool-calls/callable-tool.ts';
import { toolNotFound } from './tool-calls/messages.ts';
import { compileToolCalls } from './tool-calls/tool-calls.ts';

/** Compiles a `tool` node: one call, whose reply is the result, or the calls that a channel's last message requests. */
export function compileTool(node: NodeOfType<'tool'>, settings: NodeSettings): NodeBehavior {
  if (node.calls !== undefined) return compileToolCalls(node, settings);
  const compensate = compileCompensation(node, settings);
  return { ...compileOneCall(node, settings), ...(compensate && { compensate }) };
}

function compileOneCall(node: NodeOfType<'tool'> & { readonly calls?: never }, settings: NodeSettings): NodeBehavior {
  const { tool: name } = node;
  const tool = compileCallable(name, { node, settings, approve: {}, asksForUnsafe: false });
  const args = field('args', node.args, {});
  if (!tool) return { start: () => notFound(name), resume: () => notFound(name) };
  const ask = (filled: Json, bindings: Bindings): Question | null =>
    tool.needsApproval({ ...bindings, args: filled })
      ? tool.question(filled, { because: `Node ${settings.id} calls it` })
      : null;
  return {
    fillQuestion: (bindings) => ask(args.fill(bindings), bindings),
    start(task) {
      const filled = args.fill(task.bindings);
      const refusal = tool.refuse(task.shapers);
      if (refusal !== null) return failedBecause('TOOL_FAILED', refusal);
      const problem = tool.checkArguments(filled);
      if (problem !== null) return failedBecause('INVALID_TOOL_ARGUMENTS', problem);
      const question = ask(filled, task.bindings);
      if (!question) return makeCall(tool, task, { args: filled, byPerson: false });
      return { kind: 'open', position: { kind: 'approval', ...task.requestApproval(question) } };
    },
    resume(task, position, input) {
      if (position.kind === 'approval')
        return callIfApproved(tool, task, closeApproval(task, { position, onTimeout: 'expired' }, input));
      return position.kind === 'approved' ? makeCall(tool, task, position) : finishCall(position, input);
    },
  };
}

function notFound(name: string): Progress {
  return failedBecause('TOOL_NOT_FOUND', toolNotFound(name));
}

type ApprovedCall = Pick<ApprovedPosition, 'args' | 'byPerson'>;

/** Makes the call, or waits for the capacity to make it. */
function makeCall(tool: CallableTool, task: TaskContext, { args, byPerson }: ApprovedCall): Progress {
  if (!task.hasCapacity()) return { kind: 'open', position: { kind: 'approved', args, byPerson } };
  const refusal = tool.refuse(task.shapers);
  if (refusal !== null) return failedBecause('TOOL_FAILED', refusal);
  const key = task.call(0, tool.request(args, { leftMs: null, isApproved: byPerson }));
  return { kind: 'open', position: { kind: 'call', key, tool: tool.name, args } };
}

function callIfApproved(tool: CallableTool, task: TaskContext, approval: Approval): Progress {
  const error = refusedCallError(tool.name, approval);
  return error ? failed({ callFailed: false, error }) : makeCall(tool, task, { args: approval.args, byPerson: true });
}

function finishCall(position: NodePosition, input: TaskInput): Progress {
  if (input.kind === 'call.failed') return failed(input.failure);
  if (input.kind === 'call.completed' && input.reply.kind === 'value') return done(input.reply.value);
  throw unexpected(position);
}
