import { findHandoffProblems } from './hand-off.ts';
import { MODEL_FIELDS, configuredToolsOf } from './model-fields.ts';
import type { ModelFields } from './model-fields.ts';
import type { DescriptionOf, FieldProblem } from './node-description.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import type { CallFields, CommonFields } from '../common-fields.ts';
import type { Execution } from '../call-policy.ts';
import type { OfferedTool } from './offered-tool.ts';
import { DURATION_PATTERN, parseDuration, parseTimestamp } from '../../values/time.ts';
import { approvalNodeType } from './approval.ts';
import type { ApprovalFields } from './approval.ts';

export interface AgentFields extends ModelFields {
  /** The maximum of model turns that call tools; 5 by default. */
  readonly maxIterations?: number;
  /**
   * The reaction to `maxIterations` turns without an answer: "answer" (the model answers without tools; the default),
   * "fail", or "intervene": a person decides.
   */
  readonly onMaxIterations?: 'answer' | 'fail' | 'intervene';
  /** By tool: "always", "never", or CEL over the call's `args`. It decides if a person must approve the call. */
  readonly approve?: Readonly<Record<string, string>>;
  /** The nodes that the model may hand over to: a tool for each ends the agent, and the run continues there. */
  readonly handoff?: readonly string[];
}

const agentNodeType: DescriptionOf<AgentFields> = {
  ...MODEL_FIELDS,
  summary:
    'A model that uses tools until it has an answer. Result: as of llm, with `iterations` and `iterationsExhausted`.',
  approvals: { rules: 'approve', tools: 'tools' },
  carries: { ...MODEL_FIELDS.carries, handoff: MODEL_FIELDS.carries.text },
  goto: ['handoff'],
  findProblems: (fields) => [
    ...MODEL_FIELDS.findProblems(fields),
    ...findHandoffProblems(fields, configuredToolsOf(fields)),
  ],
  look: { outline: 'doubleCircle', fill: 'D6E0F5' },
};

export interface FunctionFields extends CallFields {
  /** The name of the function. */
  readonly function: string;
  /** The arguments: templates, at any depth. */
  readonly args?: Json;
  /** Where calls run: "activity", or "local" for short idempotent ones. */
  readonly execution?: Execution;
  /** Nodes that a command may go to, in addition to the edges. */
  readonly mayGoto?: readonly string[];
}

const functionNode: DescriptionOf<FunctionFields> = {
  summary: 'Calls a function that the worker registers.',
  templates: ['args'],
  visible: { args: ['args'] },
  uses: { functions: ['function'] },
  calls: { functions: ['function'] },
  givesArgs: [{ callee: 'function', of: 'functions', args: 'args' }],
  goto: ['mayGoto'],
  look: { outline: 'leaningLeft', fill: 'EFE6DD', subject: ['function'] },
};

const llmNodeType: DescriptionOf<ModelFields> = {
  ...MODEL_FIELDS,
  summary: 'Asks a model once. Result: { text, object, toolCalls, message, finishReason, usage, model }.',
  requestsTools: 'tools',
  look: { outline: 'rounded', fill: 'E0F0FF' },
};

const setNodeType: DescriptionOf<CommonFields> = {
  summary: 'Writes channels, without calling anything.',
  templates: [],
  hasNoResult: true,
  look: { outline: 'rectangle', fill: 'F7F7F7' },
};

export interface SubgraphFields<Graph> extends CommonFields {
  /** `"name"`, `"name@3"`, or the definition itself. */
  readonly graph: string | Graph;
  /** Templates for the input channels of the graph inside. */
  readonly input?: Readonly<Record<string, Json>>;
}

const subgraphNodeType: DescriptionOf<SubgraphFields<unknown>> = {
  summary: "Runs another graph, by name or written here. Its result is that graph's output.",
  templates: ['input'],
  graph: { definition: 'graph', input: 'input' },
  hasOwnDeadline: true,
  editorSchemas: { graph: { anyOf: [{ type: 'string' }, { $ref: '#' }] } },
  look: { outline: 'doubleSided', fill: 'FFFFFF', subject: ['graph', 'graph/name'] },
};

export type ToolFields = OneCallFields | CallsFields;

interface OneCallFields extends CallFields {
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments: templates, at any depth. */
  readonly args?: Json;
  /** Where calls run: "activity", or "local" for short idempotent ones. */
  readonly execution?: Execution;
  /** Nodes that the tool may go to by returning `{ goto }`, in addition to the edges. */
  readonly mayGoto?: readonly string[];
  /** The call that compensates this node's call when the run fails or is canceled. */
  readonly compensate?: { readonly tool: string; readonly args?: Json };
  readonly calls?: never;
  readonly tools?: never;
}

interface CallsFields extends CallFields {
  /** A channel of messages. The node makes the unanswered tool calls of its last assistant message. */
  readonly calls: string;
  /** With `calls`: the tools that it may call. Absent: those of the `llm` node that alone writes the channel. */
  readonly tools?: readonly OfferedTool[];
  /** Where calls run: "activity", or "local" for short idempotent ones. */
  readonly execution?: Execution;
  readonly tool?: never;
  readonly args?: never;
  readonly mayGoto?: never;
  readonly compensate?: never;
}

const toolNodeType: DescriptionOf<ToolFields> = {
  summary: 'Calls a tool, whose answer is its result; or makes the tool calls that a message asks for.',
  templates: ['args', 'tools'],
  resultTemplates: ['compensate/args'],
  visible: { args: ['args', 'compensate/args'], memory: ['tools'] },
  uses: { tools: ['tool', 'compensate/tool', 'tools'] },
  conversations: ['calls'],
  calls: { tools: ['tool', 'tools'] },
  givesArgs: [
    { callee: 'tool', of: 'tools', args: 'args' },
    { callee: 'compensate/tool', of: 'tools', args: 'compensate/args' },
  ],
  makesCalls: { channel: 'calls', tools: 'tools' },
  goto: ['mayGoto'],
  exactlyOne: ['tool', 'calls'],
  findProblems: findToolProblems,
  look: {
    outline: 'leaningRight',
    fill: 'F3E8FA',
    subject: ['tool'],
    notes: [{ label: 'compensated by', field: 'compensate/tool' }],
  },
};

/** Fields of a single call. A node that takes its calls from a message can't have them. */
const SINGLE_CALL_FIELDS = ['tool', 'args', 'mayGoto', 'compensate'];

function findToolProblems(fields: JsonObject): readonly FieldProblem[] {
  if (fields['calls'] === undefined) {
    if (fields['tool'] === undefined)
      return [{ field: null, message: 'A tool node needs a tool, or calls (a channel of messages)' }];
    return fields['tools'] === undefined
      ? []
      : [{ field: 'tools', message: 'Only a tool node with calls takes tools' }];
  }
  return SINGLE_CALL_FIELDS.filter((field) => fields[field] !== undefined).map((field) => ({
    field,
    message: `A tool node takes calls or ${field}, not both`,
  }));
}

/** Exactly one of `for`, `until` and `event`. */
export interface WaitFields extends CommonFields {
  /** A template for a duration: "30s", "5m", "2h", "7d". */
  readonly for?: string;
  /** A template for a time (RFC 3339). */
  readonly until?: string;
  /** A template for the name of an event. */
  readonly event?: string;
  /** With `event`: the time limit of the wait. The result is null then. */
  readonly timeout?: string;
}

const AWAITED_FIELDS = ['for', 'until', 'event'] as const;

const waitNodeType: DescriptionOf<WaitFields> = {
  summary: 'Waits for a while, until a time, or for an event. Its result is what comes with the event.',
  templates: AWAITED_FIELDS,
  carries: {},
  visible: { event: ['event'], time: ['for', 'until'] },
  exactlyOne: AWAITED_FIELDS,
  findProblems: findWaitProblems,
  mayWait: true,
  hasOwnDeadline: true,
  editorSchemas: {
    for: { type: 'string', pattern: String.raw`\{\{|${DURATION_PATTERN}` },
    until: { type: 'string', pattern: String.raw`\{\{|^\d{4}-\d{2}-\d{2}T` },
  },
  look: { outline: 'flag', fill: 'E6F4F4', subject: AWAITED_FIELDS },
};

function findWaitProblems(fields: JsonObject): readonly FieldProblem[] {
  const given = AWAITED_FIELDS.flatMap((field) => {
    const value = fields[field];
    return value === undefined ? [] : [{ field, value }];
  });
  const [first, second] = given;
  if (first === undefined) return [{ field: null, message: 'A wait node needs one of for, until and event' }];
  if (second !== undefined)
    return [{ field: second.field, message: `A wait node takes ${first.field} or ${second.field}, not both` }];
  if (first.field !== 'event' && fields['timeout'] !== undefined)
    return [{ field: 'timeout', message: 'Only a wait for an event takes a timeout' }];
  return findMomentProblems(first.field, first.value);
}

/** Checks a moment that is not a template. A template has no value before the run. */
function findMomentProblems(field: (typeof AWAITED_FIELDS)[number], value: Json): readonly FieldProblem[] {
  if (typeof value !== 'string' || value.includes('{{')) return [];
  if (field === 'for' && parseDuration(value) === null)
    return [
      { field, code: 'INVALID_DURATION', message: `"${value}" is no duration such as "30s", "5m", "2h" or "7d"` },
    ];
  if (field === 'until' && parseTimestamp(value) === null)
    return [{ field, message: `"${value}" is no RFC 3339 timestamp such as "2026-03-01T12:00:00Z"` }];
  return [];
}

/** The fields of each node type, next to `type`. `Graph` is the type of a definition inside a node. */
export interface NodeFields<Graph> {
  readonly set: CommonFields;
  readonly llm: ModelFields;
  readonly agent: AgentFields;
  readonly tool: ToolFields;
  readonly function: FunctionFields;
  readonly approval: ApprovalFields;
  readonly subgraph: SubgraphFields<Graph>;
  readonly wait: WaitFields;
}

export type NodeType = keyof NodeFields<unknown>;

/** The description of each node type of the language. */
export const NODE_TYPES: { readonly [T in NodeType]: DescriptionOf<NodeFields<unknown>[T]> } = {
  set: setNodeType,
  llm: llmNodeType,
  agent: agentNodeType,
  tool: toolNodeType,
  function: functionNode,
  approval: approvalNodeType,
  subgraph: subgraphNodeType,
  wait: waitNodeType,
};
