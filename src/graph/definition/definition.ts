import type { Limits } from './limits.ts';
import type { ReducerName } from './reducers.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import type { Json } from '../values/json.ts';

/** The public language (specification "Graph definition, version 1") as types. Definitions are plain JSON. */
export interface GraphDefinition {
  readonly $schema?: string;
  readonly name: string;
  readonly description?: string;
  readonly channels?: Readonly<Record<string, ChannelDefinition>>;
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  readonly edges: readonly EdgeDefinition[];
  readonly input?: readonly string[];
  /** The input channels that every new run must be given. */
  readonly required?: readonly string[];
  readonly output?: readonly string[];
  /** Node ids, or `["*"]` for all of them. */
  readonly interruptBefore?: readonly string[];
  readonly interruptAfter?: readonly string[];
  readonly limits?: Limits;
  readonly defaults?: Defaults;
  /** The node that runs last when a run is canceled: a tool, function, llm or set node. */
  readonly onCancel?: string;
}

export const START = '__start__';
export const END = '__end__';

export interface ChannelDefinition {
  readonly reducer?: ReducerName | { readonly expr: string };
  readonly default?: Json;
  readonly schema?: JsonSchema;
  readonly ephemeral?: boolean;
  readonly redact?: boolean;
  readonly description?: string;
}

export interface Defaults {
  readonly model?: string | readonly string[];
  readonly timeout?: string;
  readonly retry?: RetryDefinition;
}

export interface RetryDefinition {
  readonly maxAttempts?: number | undefined;
  readonly initialInterval?: string | undefined;
  readonly backoffCoefficient?: number | undefined;
  readonly maxInterval?: string | undefined;
  readonly nonRetryable?: readonly string[] | undefined;
}

/** `"channel"` takes the whole result; an object maps channels to templates over `result` and `state`. */
export type WriteDefinition = string | Readonly<Record<string, Json>>;

export type OnErrorDefinition = 'intervene' | { readonly to: string; readonly write?: Readonly<Record<string, Json>> };

interface CommonFields {
  readonly description?: string;
  readonly write?: WriteDefinition;
  readonly deadline?: string;
  readonly onError?: OnErrorDefinition;
  readonly maxVisits?: number;
  readonly defer?: boolean;
}

interface CallFields extends CommonFields {
  readonly retry?: RetryDefinition;
  readonly timeout?: string;
}

/** The request to a model: messages, tools and settings. */
export interface ModelFields extends CallFields {
  readonly model?: string | readonly string[];
  readonly system?: string;
  readonly prompt?: string;
  readonly messages?: string;
  /** Names of the tools that the model may call. */
  readonly tools?: readonly string[];
  readonly output?: JsonSchema;
  readonly context?: ContextDefinition;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
}

/** Fits the messages into the context window: the name of a strategy, or processors in order. */
export interface ContextDefinition {
  readonly maxTokens?: number;
  readonly strategy?: string | readonly string[];
}

interface AgentFields extends ModelFields {
  /** The maximum number of model turns that call tools. */
  readonly maxIterations?: number;
  /** By tool: `always`, `never`, or CEL over the call's `args`. */
  readonly approve?: Readonly<Record<string, string>>;
}

type ToolFields = OneCallFields | CallsFields;

interface OneCallFields extends CallFields {
  readonly tool: string;
  readonly args?: Json;
  /** The compensating call if the run fails or is canceled. Its arguments see the `result` of this call. */
  readonly compensate?: { readonly tool: string; readonly args?: Json };
  readonly calls?: never;
}

interface CallsFields extends CallFields {
  /** A channel of messages. The node makes the unanswered tool calls of its last assistant message. */
  readonly calls: string;
  readonly tool?: never;
  readonly args?: never;
  readonly compensate?: never;
}

interface FunctionFields extends CallFields {
  readonly function: string;
  readonly args?: Json;
  readonly mayGoto?: readonly string[];
}

interface SubgraphFields extends CommonFields {
  /** `"name"`, `"name@3"`, or the definition itself. */
  readonly graph: string | GraphDefinition;
  /** Templates for the input channels of the child. */
  readonly input?: Readonly<Record<string, Json>>;
}

/** Exactly one of `for`, `until` and `event`. */
interface WaitFields extends CommonFields {
  readonly for?: string;
  readonly until?: string;
  readonly event?: string;
  /** With `event` only. */
  readonly timeout?: string;
}

interface ApprovalFields extends CommonFields {
  readonly title: string;
  readonly details?: Json;
  readonly args?: Json;
  readonly argsSchema?: JsonSchema;
  readonly decisionSchema?: JsonSchema;
  readonly policy?: ApprovalPolicy;
  readonly timeout?: string;
  readonly onTimeout?: 'expire' | 'reject' | 'approve' | 'fail';
  readonly onReject?: 'continue' | 'fail';
}

export interface ApprovalPolicy {
  readonly roles?: readonly string[];
  readonly users?: readonly string[];
  readonly quorum?: number;
  readonly excludeRequester?: boolean;
  readonly requireReason?: boolean;
  readonly reminders?: readonly string[];
  readonly escalate?: readonly { readonly after: string; readonly roles: readonly string[] }[];
}

/** The fields of each node type, next to `type`. */
interface NodeFields {
  readonly set: CommonFields;
  readonly llm: ModelFields;
  readonly agent: AgentFields;
  readonly tool: ToolFields;
  readonly function: FunctionFields;
  readonly approval: ApprovalFields;
  readonly subgraph: SubgraphFields;
  readonly wait: WaitFields;
}

export type NodeType = keyof NodeFields;
export type NodeOfType<T extends NodeType> = { [K in T]: { readonly type: K } & NodeFields[K] }[T];
export type NodeDefinition = NodeOfType<NodeType>;

/** A node of a type that code registers. It has the common fields and those that its type defines. */
export interface CustomNodeDefinition extends CallFields {
  readonly type: string;
  readonly mayGoto?: readonly string[];
  readonly [field: string]: unknown;
}

/** A node id, `__end__`, or several of them. */
export type Target = string | readonly string[];

export interface PlainEdge {
  readonly from: Target;
  readonly to: Target;
}

export interface BranchesEdge {
  readonly from: Target;
  readonly branches: readonly Branch[];
}

export interface Branch {
  readonly when?: string;
  readonly to: Target;
}

export interface RouteEdge {
  readonly from: Target;
  /** CEL that returns a text, or a list of texts for several targets at once. */
  readonly route: string;
  readonly paths: Readonly<Record<string, Target>>;
  readonly default?: Target;
}

/** One task of the target for each element of a list. */
export interface ForEachEdge {
  readonly from: Target;
  /** CEL that returns a list. */
  readonly forEach: string;
  readonly to: string;
  readonly maxConcurrency?: number;
}

export type EdgeDefinition = PlainEdge | BranchesEdge | RouteEdge | ForEachEdge;
