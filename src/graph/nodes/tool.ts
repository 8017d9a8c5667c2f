import type { NodeOfType } from '../definition/definition.ts';
import type { Json } from '../values/json.ts';
import type { CallableTool } from './tool-calls/callable-tool.ts';
import { compileCompensation } from './compensation.ts';
import { compileCallable } from './tool-calls/callable-tool.ts';
import { compileCalls } from './tool-calls/tool-calls.ts';
import { resumeApproval, rejected } from './approval.ts';
import { field } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import type { ApprovalPosition, NodePosition } from '../run/scope.ts';
import { done, failed, failedBecause, unexpected } from './behavior.ts';
import type { TaskInput, NodeBehavior, Progress, TaskContext } from './behavior.ts';
import { toolNotFound } from './tool-calls/messages.ts';

/** One call of a tool, whose answer is the node's result; or the calls that a channel's last message asks for. */
export function compileTool(node: NodeOfType<'tool'>, scope: NodeSettings): NodeBehavior {
  if (node.calls !== undefined) return compileCalls(node, node.calls, scope);
  const compensate = compileCompensation(node, scope);
  return { ...compileOneCall(node, scope), ...(compensate && { compensate }) };
}

function compileOneCall(node: NodeOfType<'tool'> & { readonly calls?: never }, scope: NodeSettings): NodeBehavior {
  const { tool: name } = node;
  const tool = compileCallable(name, { node, scope, approve: {}, asksForUnsafe: false });
  const args = field('args', node.args, {});
  if (!tool) return { start: () => notFound(name), resume: () => notFound(name) };
  return {
    start(task) {
      const filled = args.fill(task.bindings);
      const refusal = tool.refuse(task.createdBy);
      if (refusal !== null) return failedBecause('TOOL_FAILED', refusal);
      const problem = tool.checkArguments(filled);
      if (problem !== null) return failedBecause('INVALID_TOOL_ARGUMENTS', problem);
      if (!tool.needsApproval({ ...task.bindings, args: filled })) return call(tool, task, filled);
      const question = tool.question(filled, `Node ${scope.id} calls it`);
      return { kind: 'open', position: { kind: 'approval', ...task.requestApproval(question) } };
    },
    resume(task, position, happening) {
      if (position.kind === 'approval') return afterQuestion(tool, task, { position, happening });
      return position.kind === 'approved' ? call(tool, task, position.args) : afterCall(position, happening);
    },
  };
}

function notFound(name: string): Progress {
  return failedBecause('TOOL_NOT_FOUND', toolNotFound(name));
}

function call(tool: CallableTool, task: TaskContext, args: Json): Progress {
  if (!task.hasCapacity()) return { kind: 'open', position: { kind: 'approved', args } };
  return { kind: 'open', position: { kind: 'call', key: task.call(0, tool.request(args, null)) } };
}

function afterCall(position: NodePosition, happening: TaskInput): Progress {
  if (happening.kind === 'call.failed') return failed(happening.failure);
  if (happening.kind === 'call.completed' && happening.reply.kind === 'value') return done(happening.reply.value);
  throw unexpected(position);
}

function afterQuestion(
  tool: CallableTool,
  task: TaskContext,
  { position, happening }: { position: ApprovalPosition; happening: TaskInput },
): Progress {
  const approval = resumeApproval(task, { position, onTimeout: 'expired' }, happening);
  const { status, args, expiresAt } = approval;
  if (status === 'approved') return call(tool, task, args);
  return status === 'expired'
    ? failedBecause('APPROVAL_EXPIRED', `Nobody decided about the call of ${tool.name} until ${expiresAt}`)
    : rejected(`The call of ${tool.name}`, approval);
}
