import { within } from '../../definition/call-policy.ts';
import type { CallSettings, CallPolicy } from '../../definition/call-policy.ts';
import type { ToolEntry, ApprovalRule } from '../../definition/catalog.ts';
import { NODE_NAMES, parseExpression } from '../../expression/expression.ts';
import type { Bindings, Name, Expression } from '../../expression/expression.ts';
import type { ToolCallRequest } from '../../run/effect.ts';
import { mayCall } from '../../run/principal.ts';
import type { Principal } from '../../run/principal.ts';
import { coerceAt, coerce } from '../../values/coerce.ts';
import { toMs } from '../../values/duration.ts';
import { GraphError } from '../../values/errors.ts';
import { compileJsonSchema, mismatchPointers } from '../../values/json-schema.ts';
import type { SchemaViolation, JsonSchema, SchemaCheck } from '../../values/json-schema.ts';
import { own } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import type { Question, TaskContext } from '../behavior.ts';
import type { TimeLeft } from '../node-deadline.ts';
import { policyOf } from '../node-settings.ts';
import type { NodeSettings } from '../node-settings.ts';

/** A tool as a node may call it. */
export interface CallableTool {
  readonly name: string;
  readonly onFailure: string;
  /** Why a run of this principal may not call it; `null`: it may. */
  refuse(principal: Principal): string | null;
  /** What a model has written, as the arguments that the tool takes, or what is wrong with them. */
  readArguments(args: Json): { readonly args: Json } | { readonly problem: string };
  /** What is wrong with arguments; `null`: nothing. */
  checkArguments(args: Json): string | null;
  /** @throws GraphError `EXPRESSION_FAILED` when a condition can't be evaluated, or is neither true nor false */
  needsApproval(bindings: Bindings): boolean;
  question(args: Json, because: string): Question;
  request(args: Json, leftMs: number | null): ToolCallRequest;
}

/** Who calls the tool. */
export interface Caller {
  readonly node: CallSettings & { readonly deadline?: string };
  readonly scope: NodeSettings;
  /** Rules of the node on top of the tool's own: they can ask for more approvals, never for fewer. */
  readonly approve: Readonly<Record<string, string>>;
  /** Whether a person is asked before an unsafe tool is called of which nobody says anything. */
  readonly asksForUnsafe: boolean;
}

/** @returns `null`: the installation has no tool of that name */
export function compileCallable(name: string, caller: Caller): CallableTool | null {
  const entry = own(caller.scope.catalog.tools, name);
  if (!entry) return null;
  const check = compileJsonSchema(entry.parameters);
  const policy = policyOf(caller.node, entry, caller.scope);
  const rules = rulesOf(name, entry, caller);
  const problemOf = ({ path, message }: SchemaViolation): string =>
    `The arguments of ${name} break its parameters at ${path || '/'}: ${message}`;
  return {
    name,
    onFailure: entry.onFailure ?? 'tell',
    refuse: (principal) =>
      mayCall(entry.roles, principal) ? null : `${name} may be called by runs of ${toRoles(entry)} only`,
    checkArguments(args) {
      const [first] = check(args);
      return first ? problemOf(first) : null;
    },
    readArguments(given) {
      const found = readArguments(given, entry.parameters, check);
      return 'args' in found ? found : { problem: problemOf(found.violation) };
    },
    needsApproval: (bindings) => rules.some((rule) => rule(bindings)),
    question: (args, because) => questionOf(name, entry, { args, because, caller }),
    request: (args, leftMs) => toToolCall(name, entry, { args, policy: within(policy, leftMs) }),
  };
}

type Rule = (bindings: Bindings) => boolean;

function rulesOf(name: string, { approval, effect }: ToolEntry, { approve, asksForUnsafe }: Caller): readonly Rule[] {
  const ofTool = approval ?? (asksForUnsafe && effect === 'unsafe' ? 'always' : 'never');
  const ofNode = own(approve, name) ?? 'never';
  const word = ofNode === 'always' || ofNode === 'never' ? ofNode : { when: ofNode };
  return [toRule(ofTool, ['args'], `approval of ${name}`), toRule(word, [...NODE_NAMES, 'args'], `approve.${name}`)];
}

function toRule(rule: ApprovalRule, names: readonly Name[], field: string): Rule {
  if (typeof rule === 'string') return () => rule === 'always';
  const condition = parseExpression(rule.when, names);
  return (bindings) => {
    const holds = evaluateIn(field, condition, bindings);
    if (typeof holds === 'boolean') return holds;
    throw new GraphError('EXPRESSION_FAILED', `${field}: "${rule.when}" is neither true nor false`);
  };
}

function evaluateIn(field: string, expression: Expression, bindings: Bindings): Json {
  try {
    return expression.evaluate(bindings);
  } catch (error) {
    if (error instanceof GraphError) throw new GraphError(error.code, `${field}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Without a role in the list only administrators may. */
function toRoles({ roles = [] }: ToolEntry): string {
  return roles.join(', ') || 'admin';
}

function questionOf(
  tool: string,
  { description, parameters, effect }: ToolEntry,
  { args, because, caller }: { args: Json; because: string; caller: Caller },
): Question {
  return {
    title: `Call ${tool}`,
    details: { tool, description, effect, because },
    args,
    argsSchema: parameters,
    decisionSchema: null,
    policy: {},
    tool,
    timeoutMs: toMs(caller.scope.catalog.defaults.approvalTimeout),
  };
}

/** The request for a call of a tool, on the tool's own terms. */
export function toToolCall(
  tool: string,
  { effect, taskQueue }: ToolEntry,
  { args, policy }: { args: Json; policy: CallPolicy },
): ToolCallRequest {
  return { kind: 'tool', tool, args, effect, ...(taskQueue !== undefined && { taskQueue }), policy };
}

/** Arguments that a tool takes, or what is wrong with them. */
type ReadArguments = { readonly args: Json } | { readonly violation: SchemaViolation };

/** What a model has written, as the arguments that a tool takes. */
export function readArguments(given: Json, parameters: JsonSchema, check: SchemaCheck): ReadArguments {
  if (check(given).length === 0) return { args: given };
  const mended = coerceAt(given, mismatchPointers(parameters, given));
  return check(mended).length === 0 ? { args: mended } : readCoerced(given, parameters, check);
}

/** Texts are converted wherever the schema seems to take none. */
function readCoerced(given: Json, parameters: JsonSchema, check: SchemaCheck): ReadArguments {
  const args = coerce(given, parameters);
  const [violation] = check(args);
  return violation ? { violation } : { args };
}

/** The tools that a node's calls may use. */
export interface Toolbox {
  /** One that a model may ask for. */
  findAllowed(name: string): CallableTool | null;
  /** Any tool: another one may be called where one has failed that names it. */
  find(name: string): CallableTool | null;
}

/** Where calls are made. */
export interface ToolBatchContext {
  readonly task: TaskContext;
  readonly tools: Toolbox;
  readonly leftMs: TimeLeft;
}

/** @param names of the tools that a model may ask for; `null`: any that the installation has */
export function createToolbox(names: readonly string[] | null, caller: Caller): Toolbox {
  const known = new Map<string, CallableTool>();
  const find = (name: string): CallableTool | null => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const compiled = compileCallable(name, caller);
    if (compiled) known.set(name, compiled);
    return compiled;
  };
  const isAllowed = names === null ? () => true : (name: string) => names.includes(name);
  return { find, findAllowed: (name) => (isAllowed(name) ? find(name) : null) };
}
