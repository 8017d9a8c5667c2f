import type { Principal, ToolCallRequest } from '../graph/run/index.ts';
import type { Json, SchemaCheck } from '../graph/values/index.ts';
import { mapValues, own } from '../graph/values/index.ts';
import { mayCall } from '../graph/run/index.ts';
import { notConfigured, CallError } from './calls/call-error.ts';
import { lazyCheck, runCode } from './calls/run-code.ts';
import type { CallKind } from './calls/perform-call.ts';
import { badArguments } from './tools/tool.ts';
import type { Tool } from './tools/tool.ts';

/** Makes calls of tools. Roles and arguments are checked again by the worker's current configuration. */
export function toolCalls(tools: Readonly<Record<string, Tool>>): CallKind<ToolCallRequest> {
  const callable = mapValues(tools, (tool) => ({ tool, check: lazyCheck(tool.parameters) }));
  return {
    safety: ({ effect }) => effect,
    async execute({ key, request, runId, tenantId, createdBy }, signal, attempt) {
      const entry = own(callable, request.tool);
      if (!entry) throw notConfigured('TOOL_NOT_FOUND', `tool "${request.tool}"`);
      const { tool, check } = entry;
      checkRoles(tool, createdBy);
      checkArguments(tool, check, request.args);
      const context = { key, runId, tenantId, principal: createdBy, attempt, signal };
      return await runCode('TOOL_FAILED', () => tool.execute(request.args, context));
    },
  };
}

function checkRoles({ name, roles }: Tool, principal: Principal): void {
  if (mayCall(roles, principal)) return;
  const { sub, roles: actual } = principal;
  const required = roles?.length ? `the role ${roles.join(' or ')}` : 'the role admin';
  const message = `${name} may be called only in runs of a principal with ${required}; this run belongs to ${sub} (${actual.join(', ') || 'no roles'})`;
  throw new CallError('TOOL_FAILED', message, { retryable: false, done: 'no' });
}

function checkArguments({ name }: Tool, check: SchemaCheck, args: Json): void {
  const [first] = check(args);
  if (first) throw badArguments(name, first);
}
