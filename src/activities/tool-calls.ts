import { mayCall } from '../graph/run/index.ts';
import type {
  Principal,
  ReadingRequest,
  ToolCallRequest,
  FunctionCallRequest,
  NodeCallRequest,
} from '../graph/run/index.ts';
import { deepEqual, mapValues, own } from '../graph/values/index.ts';
import type { Json, SchemaCheck, SchemaViolation } from '../graph/values/index.ts';
import { NO_LOG, openCallLogger } from './calls/call-logger.ts';
import type { ParentLogger } from './calls/call-logger.ts';
import { notConfigured, CallError, REFUSED, UNCLEAR } from './calls/call-error.ts';
import { storeEncodedFiles } from './files/encoded-files.ts';
import { noProgress } from './open-progress.ts';
import type { OpenProgress } from './open-progress.ts';
import { keepNoFile } from './files/keep-file.ts';
import type { KeepFile } from './files/keep-file.ts';
import { lazyCheck, runCode } from './calls/run-code.ts';
import type { CallBehavior } from './calls/make-attempt.ts';
import type { RegisteredFunction, RegisteredNodeType } from './registered-code.ts';
import { badArguments } from './tools/tool.ts';
import type { Tool, ToolCall } from './tools/tool.ts';
import { CALL_SAFETIES } from '../graph/definition/index.ts';
import type { CallSafety, StoredFilePart, ToolEntry } from '../graph/definition/index.ts';
import { parseExpression } from '../graph/expression/index.ts';

/**
 * Makes calls of tools. The worker's current configuration can only tighten what a run has pinned: roles, arguments and
 * approval are checked again, and the stricter safety counts. A result must fit the schema that the tool declares.
 */
export function toolCalls(
  tools: Readonly<Record<string, Tool>>,
  log: ParentLogger = NO_LOG,
  keepFile: KeepFile = keepNoFile,
  openProgress: OpenProgress = noProgress,
): CallBehavior<ToolCallRequest> {
  const callable = mapValues(tools, (tool) => ({
    tool,
    check: lazyCheck(tool.parameters),
    checkRead: lazyCheck(tool.takes ?? true),
    checkResult: tool.result === undefined ? null : lazyCheck(tool.result),
    needsApproval: compileApprovalRule(tool),
  }));
  return {
    safety: ({ tool, effect }) => stricterSafety(effect, own(tools, tool)?.effect),
    async execute(task, signal, { attempt, prepare = noLimit }) {
      const { key, request, runId, tenantId, createdBy, shapedBy = [] } = task;
      const entry = own(callable, request.tool);
      if (!entry) throw notConfigured('TOOL_NOT_FOUND', `tool "${request.tool}"`);
      const { tool, check, checkRead, checkResult, needsApproval } = entry;
      checkRoles(tool, createdBy, 'this run belongs to');
      for (const other of shapedBy) checkRoles(tool, other, 'this run was changed by');
      checkArguments(tool, request.isRead ? checkRead : check, request.args);
      if (!request.isRead) await prepare(requireUnchanged(tool, request.args));
      if (request.isApproved !== true && needsApproval(request.args)) throw approvalRequired(tool);
      const { memory } = request;
      const logger = openCallLogger(log, task, attempt);
      const { report: progress, close } = openProgress(task, attempt, logger);
      const caller = { key, runId, tenantId, principal: createdBy, memory, attempt, signal, logger, progress };
      const files: StoredFilePart[] = [];
      const call: ToolCall = {
        ...caller,
        prepare,
        keepFile: async (file) => await keepFile(file, caller),
        attachFile: (file) => void files.push(file),
      };
      const reply = await runCode('TOOL_FAILED', () => tool.execute(request.args, call)).finally(close);
      if (checkResult) requireResult(tool, checkResult, reply.value);
      const value = checkResult ? reply.value : await storeEncodedFiles(reply.value, call);
      return { ...reply, value, ...(files.length > 0 && { files }) };
    },
  };
}

/**
 * Reads arguments with the tools' own schemas, once per call. The result is recorded, people decide about it, and the
 * tool's code receives exactly that.
 */
export function createReadings(tools: Readonly<Record<string, Tool>>): CallBehavior<ReadingRequest> {
  return {
    safety: () => 'idempotent',
    async execute({ request }) {
      const tool = own(tools, request.tool);
      if (!tool) throw notConfigured('TOOL_NOT_FOUND', `tool "${request.tool}"`);
      return await runCode('INVALID_TOOL_ARGUMENTS', () => (tool.read ? tool.read(request.args) : request.args));
    },
  };
}

/** The code must receive the approved arguments, so a schema that would change them refuses them. */
async function requireUnchanged({ name, read }: Tool, args: Json): Promise<void> {
  if (!read || deepEqual(await read(args), args)) return;
  const message = `The schema of ${name} makes something else of these arguments: its configuration has changed since the run began`;
  throw new CallError('INVALID_TOOL_ARGUMENTS', message, REFUSED);
}

const noLimit = async <T>(work: Promise<T>): Promise<T> => await work;

/** The work is done, so a retry would not help. */
function requireResult({ name }: Tool, check: SchemaCheck, value: Json): void {
  const [first] = check(value);
  if (!first) return;
  const message = `The result of ${name} breaks its schema at ${first.path || '/'}: ${first.message}`;
  throw new CallError('TOOL_FAILED', message, UNCLEAR);
}

function checkRoles(tool: Tool, principal: Principal, part: string): void {
  if (mayCall(tool, principal)) return;
  const { sub, roles: actual } = principal;
  const message = `${tool.name} may be called only in runs of a principal with ${requiredRight(tool)}; ${part} ${sub} (${actual.join(', ') || 'no roles'})`;
  throw new CallError('TOOL_FAILED', message, REFUSED);
}

function requiredRight({ roles, permission }: Tool): string {
  if (permission !== undefined) return `the permission ${permission}`;
  return roles?.length ? `the role ${roles.join(' or ')}` : 'the role admin';
}

function approvalRequired({ name }: Tool): CallError {
  const message = `${name} now needs an approval, for which this run has not asked: its configuration has changed since the run began`;
  return new CallError('APPROVAL_REQUIRED', message, REFUSED);
}

function checkArguments({ name }: Tool, check: SchemaCheck, args: Json): void {
  const [first] = check(args);
  if (first) throw badArguments(name, first);
}

/** Makes calls of registered functions. */
export function functionCalls(
  functions: Readonly<Record<string, RegisteredFunction>>,
  log: ParentLogger = NO_LOG,
  openProgress: OpenProgress = noProgress,
): CallBehavior<FunctionCallRequest> {
  return {
    safety: (request) => stricterSafety(request.effect, own(functions, request.function)?.effect),
    async execute(task, signal, { attempt }) {
      const { key, request, runId, tenantId, createdBy } = task;
      const registered = own(functions, request.function);
      if (!registered) throw notConfigured('FUNCTION_FAILED', `function "${request.function}"`);
      const logger = openCallLogger(log, task, attempt);
      const { report: progress, close } = openProgress(task, attempt, logger);
      const context = { key, runId, tenantId, principal: createdBy, attempt, signal, logger, progress };
      return await runCode('FUNCTION_FAILED', () => registered.execute(request.args, context)).finally(close);
    },
  };
}

/** The stricter of the safety pinned by a run and the one in the worker's current configuration. */
function stricterSafety(pinned: CallSafety, live: CallSafety = pinned): CallSafety {
  return CALL_SAFETIES.indexOf(live) > CALL_SAFETIES.indexOf(pinned) ? live : pinned;
}

/** Compiles a tool's own approval rule. A condition that can't be evaluated, or is not false, requires an approval. */
function compileApprovalRule({ approval = 'never' }: ToolEntry): (args: Json) => boolean {
  if (typeof approval === 'string') return () => approval === 'always';
  if (approval.when === undefined) return () => true;
  const condition = parseExpression(approval.when, ['args']);
  return (args) => {
    try {
      return condition.evaluate({ args }) !== false;
    } catch {
      return true;
    }
  };
}

/** Makes calls of registered node types. */
export function nodeCalls(
  nodeTypes: Readonly<Record<string, RegisteredNodeType>>,
  log: ParentLogger = NO_LOG,
): CallBehavior<NodeCallRequest> {
  const checks = mapValues(nodeTypes, ({ schema }) => lazyCheck(schema));
  return {
    safety: ({ nodeType, effect }) => stricterSafety(effect, own(nodeTypes, nodeType)?.effect),
    async execute(task, signal, { attempt }) {
      const { key, request } = task;
      const { nodeType, config, state, run } = request;
      const registered = own(nodeTypes, nodeType);
      if (!registered) throw notConfigured('FUNCTION_FAILED', `node type "${nodeType}"`);
      const [violation] = own(checks, nodeType)?.(config) ?? [];
      if (violation) throw badFields(nodeType, violation);
      const context = { state, run, key, signal, logger: openCallLogger(log, task, attempt) };
      return await runCode('FUNCTION_FAILED', () => registered.execute(config, context));
    },
  };
}

/** The error of filled fields that violate the schema of their node type; its code is not called. */
function badFields(nodeType: string, { path, message }: SchemaViolation): CallError {
  const text = `The fields of the node break the schema of "${nodeType}" at ${path || '/'}: ${message}`;
  return new CallError('FUNCTION_FAILED', text, { retryable: false, done: 'no' });
}
