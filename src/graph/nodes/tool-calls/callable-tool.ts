import { capDeadline } from '../../definition/call-policy.ts';
import type { CallPolicy } from '../../definition/call-policy.ts';
import type { ApprovalRule, ToolEntry, ApprovalTerms, CatalogDefaults } from '../../definition/catalog.ts';
import {
  completeArguments,
  describeViolation,
  decisiveViolations,
} from '../../definition/node-types/complete-arguments.ts';
import { MEMORY_TOOLS } from '../../definition/memory-tools.ts';
import {
  isConfiguredTool,
  isGraphTool,
  namesOfTool,
  MAX_MEMORY_NAME,
} from '../../definition/node-types/offered-tool.ts';
import type { ConfiguredTool, GraphTool, MemoryTool, OfferedTool } from '../../definition/node-types/offered-tool.ts';
import { evaluateField, parseExpression } from '../../expression/expression.ts';
import { NODE_NAMES } from '../../expression/names.ts';
import type { Bindings, ExpressionName } from '../../expression/names.ts';
import type { ReadingRequest, ToolCallRequest } from '../../run/effect.ts';
import { mayCall } from '../../run/principal.ts';
import type { Principal } from '../../run/principal.ts';
import { GraphError } from '../../values/errors.ts';
import { compileJsonSchema, mismatchPointers } from '../../values/json-schema.ts';
import type { SchemaViolation, JsonSchema, SchemaCheck } from '../../values/json-schema.ts';
import { own, isJsonObject, toTemplateText } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { withoutCharge } from '../../values/meter.ts';
import { truncate } from '../../values/text.ts';
import type { ApprovalQuestion, TaskContext } from '../behavior.ts';
import { callPolicyOf, parseTemplatedField } from '../node-settings.ts';
import type { TimeLeft, CallableGraph, ExecutionField, NodeCallSettings, NodeSettings } from '../node-settings.ts';
import { findRefusedMessage } from '../../channels/outside-messages.ts';
import { splitIntoPieces } from '../../expression/template.ts';
import { compileFixedArguments } from './fixed-arguments.ts';
import type { FixedFields } from './fixed-arguments.ts';
import { parsePointer } from '../../values/json-pointer.ts';
import { coerceToSchema, coerceAtPointers } from './coerce.ts';
import { toMs } from '../../values/time.ts';

/** A tool as one node calls it. */
export interface CallableTool {
  /** The name by which models request it. */
  readonly name: string;
  /** The arguments that the node fixes; `null` if there are none. */
  readonly fixed: FixedFields | null;
  /** The graph that runs as the call; `null` if the call is a request to an activity. */
  readonly graph: CallableGraph | null;
  /** `tell` (the model gets the error), `intervene`, or the name of the tool to call after a failure. */
  readonly onFailure: string;
  /** Returns the reason why a run may not call the tool, by its editors, its starter first; `null` if it may. */
  refuse(editors: readonly Principal[]): string | null;
  /**
   * Reads the arguments of a call by the tool's parameters, before any decision about them. A problem is formulated for
   * the model.
   * @throws GraphError `INVALID_TOOL_ARGUMENTS` for a fixed argument that breaks the parameters
   */
  readArguments(given: Json, giver?: ArgumentSource): { readonly args: Json } | { readonly problem: string };
  /** True if the code's own schema must read the arguments afterwards; otherwise the code receives them as they are. */
  readonly needsReading: boolean;
  reading(args: Json, leftMs: number | null): ReadingRequest;
  /** @throws GraphError `EXPRESSION_FAILED` when a condition can't be evaluated, or is not a boolean */
  needsApproval(bindings: Bindings): boolean;
  /**
   * Returns the namespace of a memory tool; `undefined` for all other tools. A call keeps it, so that an approval
   * covers exactly the namespace of the call.
   * @throws GraphError `EXPRESSION_FAILED` when it can't be computed
   */
  memory(bindings: Bindings): string | undefined;
  question(args: Json, origin: CallOrigin): ApprovalQuestion;
  request(args: Json, terms: CallTerms): ToolCallRequest;
}

/** What an approval says of a call besides its arguments. */
export interface CallOrigin {
  /** The reason for the call, such as "Node pay calls it". */
  readonly because: string;
  /** The namespace of a memory tool. */
  readonly memory?: string | undefined;
  /** The names of the arguments that the node fixes, which nobody may change. */
  readonly fixed?: readonly string[] | undefined;
}

/** The conditions of a call besides its arguments. */
export interface CallTerms {
  readonly leftMs: number | null;
  /** The namespace of a memory tool. */
  readonly memory?: string | undefined;
  /** True if a person has approved the call with its arguments. */
  readonly isApproved: boolean;
  /** True if the tool's own schema has read the arguments. */
  readonly isRead: boolean;
}

/**
 * The origin of arguments: a model, which may write numbers as text; a node or a person; another tool that has failed.
 */
export type ArgumentSource = 'model' | 'node' | 'tool';

/** The node that calls a tool. */
export interface CallingNode {
  readonly node: NodeCallSettings & ExecutionField;
  readonly settings: NodeSettings;
  /** Approval rules of the node, by tool. They add to the tool's own rule, which still applies. */
  readonly approve: Readonly<Record<string, string>>;
  /** True if an unsafe tool without a rule of its own needs an approval. */
  readonly asksForUnsafe: boolean;
}

/** The tools that a node's calls may use. */
export interface ToolsOfNode {
  /** Returns the names of the tools that a model may request on a state. @throws GraphError */
  activeNames(bindings: Bindings): readonly string[];
  /** Finds any tool of the installation. A tool named as `onFailure` need not be offered to the model. */
  find(name: string): CallableTool | null;
}

/** The context of tool calls: the task that makes them, its tools, and the time that a call has. */
export interface ToolBatchContext {
  readonly task: TaskContext;
  readonly tools: ToolsOfNode;
  readonly leftMs: TimeLeft;
}

/** Compiles a tool for the calls of a node. @returns `null` if the installation has no tool of that name */
export function compileCallable(name: string, caller: CallingNode): CallableTool | null {
  const entry = own(caller.settings.catalog.tools, name);
  return entry ? compileEntry({ name, entry }, caller) : null;
}

interface KnownTool {
  readonly name: string;
  /** The name of the configured tool; absent if it is `name`. */
  readonly callee?: string;
  readonly entry: ToolEntry;
  readonly fixed?: FixedFields | null;
  /** Fills the namespace of a memory tool. */
  readonly fillNamespace?: (bindings: Bindings) => string;
  readonly graph?: CallableGraph;
}

function compileEntry(known: KnownTool, caller: CallingNode): CallableTool {
  const { name, callee = name, entry, fixed = null, fillNamespace, graph } = known;
  const check = compileJsonSchema(entry.parameters);
  const policy = callPolicyOf(caller.node, entry, caller.settings);
  const terms = { ...entry, execution: caller.node.execution ?? entry.execution };
  const rules = compileApprovalRules(name, entry, caller);
  const problemOf = (violation: SchemaViolation): string =>
    `The arguments of ${name} break its parameters at ${violation.path || '/'}: ${describeViolation(violation, entry)}`;
  const refusedIn = (args: Json): string | null => (graph ? findRefusedArgument(graph, args) : null);
  return {
    name,
    fixed,
    graph: graph ?? null,
    onFailure: entry.onFailure ?? 'tell',
    refuse(editors) {
      const refused = editors.findIndex((principal) => !mayCall(entry, principal));
      if (refused === -1) return null;
      const rule = `${name} may be called by runs of ${allowedRoles(entry)} only`;
      return refused === 0 ? rule : `${rule}; ${editors[refused]?.sub ?? ''}, who has changed this run, is none`;
    },
    readArguments(given, giver = 'node') {
      const args = completeArguments(given, entry, giver === 'tool');
      const read = giver === 'model' ? readArguments(args, entry.parameters, check) : args;
      const [violation] = decisiveViolations(check(read), entry);
      const problem = violation ? problemOf(violation) : refusedIn(read);
      if (violation && fixed?.names.includes(parsePointer(violation.path)[0] ?? ''))
        throw new GraphError('INVALID_TOOL_ARGUMENTS', `A fixed argument is invalid. ${problem}`);
      return problem === null ? { args: read } : { problem };
    },
    needsReading: entry.takes !== undefined,
    reading: (args, leftMs) => toReadingRequest(callee, terms, { args, policy: capDeadline(policy, leftMs) }),
    needsApproval: (bindings) => rules.some((rule) => rule(bindings)),
    memory: (bindings) => fillNamespace?.(bindings),
    question: (args, origin) =>
      toolQuestion(
        { ...origin, tool: callee, args, graph, ...(name !== callee && { as: name }) },
        entry,
        caller.settings.catalog.defaults,
      ),
    request: (args, { leftMs, isApproved, isRead, memory }) => ({
      ...toToolCall(callee, terms, { args, policy: capDeadline(policy, leftMs), isApproved, isRead }),
      ...(memory !== undefined && { memory }),
    }),
  };
}

interface PolicedArgs {
  readonly args: Json;
  readonly policy: CallPolicy;
}

/** Returns the request for a reading of arguments, which takes no longer than a local call. */
function toReadingRequest(tool: string, { taskQueue }: ToolEntry, { args, policy }: PolicedArgs): ReadingRequest {
  return {
    kind: 'reading',
    tool,
    args,
    effect: 'idempotent',
    ...(taskQueue !== undefined && { taskQueue }),
    execution: 'local',
    policy: { ...policy, timeoutMs: Math.min(policy.timeoutMs, MAX_READING_MS) },
  };
}

const MAX_READING_MS = 10_000;

/** The request for a call of a tool. */
function toToolCall(
  tool: string,
  { effect, taskQueue, execution }: ToolEntry,
  { args, policy, isApproved, isRead }: PolicedArgs & Pick<CallTerms, 'isApproved' | 'isRead'>,
): ToolCallRequest {
  return {
    kind: 'tool',
    tool,
    args,
    effect,
    ...(isApproved && { isApproved }),
    ...(isRead && { isRead }),
    ...(taskQueue !== undefined && { taskQueue }),
    ...(execution !== undefined && { execution }),
    policy,
  };
}

/**
 * Creates the toolbox of a node. A tool is compiled on first use, without a charge, because another run may already
 * have compiled it.
 * @param offered tools that a model may request
 * @param activeNames which of them it may request on a state
 */
export function createToolbox(
  offered: readonly OfferedTool[],
  caller: CallingNode,
  activeNames: ToolsOfNode['activeNames'],
): ToolsOfNode {
  const compiled = new Map<string, CallableTool>();
  const compile = (name: string): CallableTool | null => {
    const tool = offered.find((one) => typeof one === 'object' && namesOfTool(one).includes(name)) ?? name;
    if (typeof tool === 'string') return compileCallable(name, caller);
    if (isConfiguredTool(tool)) return compileConfiguredTool(name, tool, caller);
    return isGraphTool(tool) ? compileGraphTool(name, tool, caller) : compileMemoryTool(name, tool, caller);
  };
  const find = (name: string): CallableTool | null => {
    const tool = compiled.get(name) ?? withoutCharge(() => compile(name));
    if (tool) compiled.set(name, tool);
    return tool;
  };
  return { find, activeNames };
}

function compileConfiguredTool(
  name: string,
  { tool: callee, args, description }: ConfiguredTool,
  caller: CallingNode,
): CallableTool | null {
  const entry = own(caller.settings.catalog.tools, callee);
  if (!entry) return null;
  const described = description === undefined ? entry : { ...entry, description };
  return compileEntry({ name, callee, entry: described, fixed: compileFixedArguments(name, args) }, caller);
}

function compileGraphTool(name: string, { args }: GraphTool, caller: CallingNode): CallableTool | null {
  const graph = own(caller.settings.graphTools, name);
  return graph
    ? compileEntry({ name, entry: graph.entry, graph, fixed: compileFixedArguments(name, args) }, caller)
    : null;
}

function compileMemoryTool(name: string, { memory }: MemoryTool, caller: CallingNode): CallableTool | null {
  const entry = own(MEMORY_TOOLS, name);
  return entry ? compileEntry({ name, entry, fillNamespace: compileNamespace(memory) }, caller) : null;
}

type CompiledApprovalRule = (bindings: Bindings) => boolean;

function compileApprovalRules(
  name: string,
  { approval, effect }: ToolEntry,
  { approve, asksForUnsafe }: CallingNode,
): readonly CompiledApprovalRule[] {
  const toolRule = approval ?? (asksForUnsafe && effect === 'unsafe' ? 'always' : 'never');
  const nodeRule = own(approve, name) ?? 'never';
  const isCondition = nodeRule !== 'always' && nodeRule !== 'never';
  return [
    compileRule(toolRule, ['args'], `approval of ${name}`),
    compileRule(isCondition ? { when: nodeRule } : nodeRule, [...NODE_NAMES, 'args'], `approve.${name}`),
  ];
}

function compileRule(rule: ApprovalRule, names: readonly ExpressionName[], field: string): CompiledApprovalRule {
  if (typeof rule === 'string') return () => rule === 'always';
  const { when } = rule;
  if (when === undefined) return () => true;
  const condition = parseExpression(when, names);
  return (bindings) => {
    const holds = evaluateField(field, condition, bindings);
    if (typeof holds === 'boolean') return holds;
    throw new GraphError(
      'EXPRESSION_FAILED',
      `${field}: "${truncate(when, MAX_QUOTED_CONDITION)}" is neither true nor false`,
    );
  };
}

/** The maximum of characters of a condition in an error message. */
const MAX_QUOTED_CONDITION = 200;

/** Returns the roles whose runs may call a tool: administrators, if the tool names none. */
function allowedRoles({ roles = [], permission }: ToolEntry): string {
  if (permission !== undefined) return `people with ${permission}`;
  return roles.join(', ') || 'admin';
}

/** Returns the arguments of a graph call as input: the parameters of a graph are an object. */
export function graphCallInput(args: Json): JsonObject {
  return isJsonObject(args) ? args : {};
}

/** Returns the first message in arguments that a graph does not accept from a model; `null` if it accepts all. */
function findRefusedArgument({ channels }: CallableGraph, args: Json): string | null {
  return findRefusedMessage(channels, {}, graphCallInput(args))?.message ?? null;
}

/**
 * Compiles the namespace that a model's memory is confined to. A value fills one part between slashes: a value with a
 * slash would lead into another namespace, and an empty one into a shared parent.
 * @returns a function that fills it
 * @throws GraphError `EXPRESSION_FAILED` for an empty part, or more parts than the template has
 */
function compileNamespace(template: string): (bindings: Bindings) => string {
  const filler = parseTemplatedField('tools.memory', template, '');
  const literal = splitIntoPieces(template, NODE_NAMES).filter((piece) => typeof piece === 'string');
  const parts = countNamespaceParts(literal.join(''));
  return (bindings) => {
    const namespace = toTemplateText(filler.fill(bindings));
    const isWhole = NAMESPACE.test(namespace) && namespace.length <= MAX_MEMORY_NAME;
    if (isWhole && countNamespaceParts(namespace) === parts) return namespace;
    const expected = `1 to ${MAX_MEMORY_NAME} characters without control characters, and ${parts} parts between slashes, none empty`;
    throw new GraphError('EXPRESSION_FAILED', `tools.memory: this namespace has ${expected}`);
  };
}

function countNamespaceParts(namespace: string): number {
  return namespace.split('/').length;
}

const NAMESPACE = /^[^/\p{Cc}]+(?:\/[^/\p{Cc}]+)*$/u;

/**
 * Reads arguments that a model has written, which may hold numbers and booleans as text. The result may still break the
 * schema.
 */
export function readArguments(written: Json, parameters: JsonSchema, check: SchemaCheck): Json {
  if (check(written).length === 0) return written;
  const coerced = coerceAtPointers(written, mismatchPointers(parameters, written));
  // Violations don't always point at the texts to convert, so all texts are converted where the schema declares other
  // types.
  return check(coerced).length === 0 ? coerced : coerceToSchema(written, parameters);
}

/** A call that needs an approval. */
export interface AskedCall extends CallOrigin {
  readonly tool: string;
  readonly args: Json;
  /** The name by which the model has requested the tool; absent if it is the tool's own. */
  readonly as?: string;
  /** The graph that runs as the call. */
  readonly graph?: CallableGraph | undefined;
}

/** Requests an approval for a tool call, under the terms of the tool. */
export function toolQuestion(
  { tool, args, because, memory, graph, as, fixed = [] }: AskedCall,
  entry: ToolEntry,
  { approvalTimeout }: Pick<CatalogDefaults, 'approvalTimeout'>,
): ApprovalQuestion {
  const { policy = {}, timeout = approvalTimeout } = approvalTermsOf(entry.approval);
  return {
    title: `Call ${tool}`,
    details: {
      tool,
      ...(as !== undefined && { as }),
      ...(fixed.length > 0 && { fixed }),
      ...(memory !== undefined && { memory }),
      description: entry.description,
      ...(graph ? { graph: graph.reference } : { effect: entry.effect }),
      because,
    },
    args,
    argsSchema: entry.takes ?? entry.parameters,
    ...(fixed.length > 0 && { fixedArgs: fixed }),
    decisionSchema: null,
    policy,
    tool,
    timeoutMs: toMs(timeout),
  };
}

function approvalTermsOf(rule: ApprovalRule | undefined): ApprovalTerms {
  return typeof rule === 'object' ? rule : {};
}
