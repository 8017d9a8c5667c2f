import { END } from '../definition/definition.ts';
import type { NodeOfType } from '../definition/definition.ts';
import { isCommand } from '../definition/command.ts';
import type { Command } from '../run/scope.ts';
import { GraphError } from '../values/errors.ts';
import { isJsonObject, toItems, isJsonList, own } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { taskDone, taskFailed, unexpectedInput, nothingToResume } from './behavior.ts';
import type { NodeBehavior, TaskProgress } from './behavior.ts';
import { callPolicyOf, parseTemplatedField, deadlineExceeded } from './node-settings.ts';
import type { NodeSettings, ExecutionField } from './node-settings.ts';
import type { CallSettings } from '../definition/call-policy.ts';
import { ownFields } from '../definition/node-types/custom.ts';
import { NODE_NAMES } from '../expression/names.ts';
import { parseMembers } from '../expression/template.ts';
import { freshScope, hasScopeBegun } from '../run/scope-position.ts';

/**
 * Makes the `resume` of a node that calls code. A returned object that has only keys of a command is a command. Any
 * other value is the result, and so is a value that the code marks as its result.
 * @param mayGoto nodes that a command may name
 */
function resumeCodeCall(mayGoto: readonly string[]): NodeBehavior['resume'] {
  return (_task, position, input) => {
    if (input.kind === 'call.failed') return taskFailed(input.failure);
    if (input.kind !== 'call.completed' || input.reply.kind !== 'value') throw unexpectedInput(position);
    return input.reply.isPlain === true ? taskDone(input.reply.value) : commandOrResult(input.reply.value, mayGoto);
  };
}

/** @throws GraphError `FUNCTION_FAILED` or `INVALID_GOTO` for an invalid command */
function commandOrResult(value: Json, mayGoto: readonly string[]): TaskProgress {
  if (!isJsonObject(value) || !isCommand(value)) return taskDone(value);
  const { update = {}, goto = [], control = 'continue', reason } = value;
  if (!isJsonObject(update)) throw new GraphError('FUNCTION_FAILED', 'The update of a command is an object');
  const command = { update, goto: readGoto(goto, mayGoto), control: readControl(control), reason: readReason(reason) };
  if (command.control === 'replan' && command.goto.length === 0)
    throw new GraphError('INVALID_GOTO', 'A replan names in goto where the run goes on');
  return { kind: 'commanded', command };
}

/**
 * Reads what a tool returns to a node with `mayGoto`: an object with `goto` and perhaps a `reason` chooses nodes, any
 * other value is the result. Only the code of functions and node types may write channels or control the run.
 * @throws GraphError `TOOL_FAILED` or `INVALID_GOTO`
 */
export function gotoOrResult(value: Json, mayGoto: readonly string[]): TaskProgress {
  if (!isJsonObject(value) || !isCommand(value) || value['goto'] === undefined) return taskDone(value);
  const { goto, reason, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new GraphError('TOOL_FAILED', `A tool may return goto and reason; "${other}" is for functions`);
  const command = {
    update: {},
    goto: readGoto(goto, mayGoto),
    control: 'continue',
    reason: readReason(reason),
  } as const;
  return { kind: 'commanded', command };
}

function readGoto(goto: Json, mayGoto: readonly string[]): readonly string[] {
  const names = toItems(goto);
  return names.map((name) => {
    if (typeof name === 'string' && (name === END || mayGoto.includes(name))) return name;
    throw new GraphError(
      'INVALID_GOTO',
      `goto names ${JSON.stringify(name)}; mayGoto allows ${mayGoto.join(', ') || 'nothing'}`,
    );
  });
}

const COMMAND_CONTROLS: readonly Command['control'][] = ['continue', 'pause', 'abort', 'replan'];

function readControl(control: Json): Command['control'] {
  const known = COMMAND_CONTROLS.find((name) => name === control);
  if (known) return known;
  throw new GraphError(
    'FUNCTION_FAILED',
    `control is one of ${COMMAND_CONTROLS.join(', ')}, not ${JSON.stringify(control)}`,
  );
}

function readReason(reason: Json | undefined): string | null {
  return typeof reason === 'string' ? reason : null;
}

/** A node of a type that code registers. */
type CustomNode = CallSettings & ExecutionField & { readonly type: string };

/**
 * Compiles a node of a type that code registers: one call of that code.
 * @param fields the node's own fields
 * @throws TypeError when the catalog has no such type
 */
export function compileCustom(node: CustomNode, fields: JsonObject, settings: NodeSettings): NodeBehavior {
  const registered = own(settings.catalog.nodeTypes ?? {}, node.type);
  if (!registered) throw new TypeError(`There is no node type "${node.type}"`);
  const config = parseMembers(ownFields(fields), NODE_NAMES, (name) => name);
  const { effect } = registered;
  const policy = callPolicyOf(node, registered, settings);
  const { execution } = node;
  const request = { kind: 'node', nodeType: node.type, effect, ...(execution && { execution }), policy } as const;
  return {
    start(task) {
      const { state = null, run = null } = task.bindings;
      const filled = config(task.bindings);
      const key = task.call(0, { ...request, config: filled, state, run });
      return { kind: 'open', position: { kind: 'call', key, args: filled } };
    },
    resume: resumeCodeCall(gotoNames(fields['mayGoto'])),
  };
}

function gotoNames(value: Json | undefined): readonly string[] {
  return isJsonList(value) ? value.filter((name) => typeof name === 'string') : [];
}

/** Compiles a `function` node: one call of a function registered on the worker. Its return value is the result. */
export function compileFunction(node: NodeOfType<'function'>, settings: NodeSettings): NodeBehavior {
  const args = parseTemplatedField('args', node.args, {});
  const registered = own(settings.catalog.functions, node.function) ?? { effect: 'idempotent' };
  const request = {
    kind: 'function',
    function: node.function,
    effect: registered.effect,
    ...(node.execution && { execution: node.execution }),
    policy: callPolicyOf(node, registered, settings),
  } as const;
  return {
    start(task) {
      const filled = args.fill(task.bindings);
      const key = task.call(0, { ...request, args: filled });
      return { kind: 'open', position: { kind: 'call', key, args: filled } };
    },
    resume: resumeCodeCall(node.mayGoto ?? []),
  };
}

/** Compiles a `set` node, which does nothing but its `write`. */
export function compileSet(): NodeBehavior {
  return { start: () => taskDone(null), resume: nothingToResume };
}

/**
 * Compiles a `subgraph` node. The graph inside starts anew on each visit, and its output is the result. A retry fills
 * the input again if no node inside has run. A graph that runs as a tool call keeps its input: the arguments.
 * @throws TypeError when the settings hold no compiled graph
 */
export function compileSubgraph(node: NodeOfType<'subgraph'>, { subgraph }: NodeSettings): NodeBehavior {
  if (!subgraph) throw new TypeError('A subgraph node is compiled with the graph inside');
  const fillInput = parseMembers(node.input ?? {}, NODE_NAMES, (channel) => `input.${channel}`);
  const fillsInput = Object.keys(node.input ?? {}).length > 0;
  const start: NodeBehavior['start'] = ({ bindings }) => ({
    kind: 'open',
    position: { kind: 'subgraph', scope: freshScope(subgraph), input: fillInput(bindings) },
  });
  return {
    start,
    restart(task, position) {
      const isFresh = position.kind === 'subgraph' && !hasScopeBegun(position.scope);
      return fillsInput && isFresh ? start(task) : { kind: 'open', position };
    },
    resume(_task, position, input) {
      if (input.kind === 'subgraph.finished') return taskDone(input.output);
      if (input.kind === 'subgraph.failed') return taskFailed({ callFailed: false, error: input.error });
      if (input.kind === 'timer' && position.kind === 'subgraph') return deadlineExceeded(node);
      throw unexpectedInput(position);
    },
  };
}
