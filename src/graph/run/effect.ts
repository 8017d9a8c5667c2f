import type { CallPolicy, CallSafety, Execution } from '../definition/call-policy.ts';
import type { Message, ToolCall } from '../definition/message.ts';
import type { ProviderOptions, ReasoningEffort, ToolChoice } from '../definition/node-types/model-fields.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { NodePath } from './ids.ts';
import type { Principal } from './principal.ts';

/** A request of the interpreter, which the workflow turns into an activity or a timer. */
export type Effect = CallEffect | TimerEffect | CancelTimerEffect | CancelCallEffect | CancelCallsEffect;

export interface CallEffect {
  readonly kind: 'call';
  /** The idempotency key: equal over attempts, replays and takeovers of one call, unique to the call. */
  readonly key: string;
  /** How often a person, or a reopened run, has ordered the call again under its key. */
  readonly takeover: number;
  readonly node: string;
  /** The element of a list that the call is made for. */
  readonly index?: number;
  /** Of a model's call: the visit of its node, and the nodes around it. */
  readonly visit?: number;
  readonly path?: NodePath;
  readonly request: CallRequest;
  /** One line that names the node, for the Temporal Web UI. */
  readonly summary: string;
  /** The call may be canceled on its own. */
  readonly isCancelable?: true;
  /** The call is compensated later if its result is known. */
  readonly isCompensable?: true;
  /** Others besides the starter who have shaped the run, with other roles; a tool's roles hold for each. */
  readonly shapedBy?: readonly Principal[];
}

/** A call that may be local. */
export interface LocalEffect extends CallEffect {
  readonly request: Exclude<CallRequest, ModelCallRequest>;
}

export type CallRequest = ModelCallRequest | ToolCallRequest | FunctionCallRequest | NodeCallRequest | ReadingRequest;

export interface ModelCallRequest {
  readonly kind: 'model';
  readonly model: string;
  readonly system: string | null;
  readonly messages: readonly Message[];
  /** Names of the tools that the model may ask for. */
  readonly tools: readonly string[];
  /** Those of them that are graphs, which no worker knows. Absent: there are none. */
  readonly graphTools?: Readonly<Record<string, GraphOffer>>;
  /** The rule for fitting the messages; `null` sends all of them. */
  readonly context: ContextPolicy | null;
  readonly output: JsonSchema | null;
  readonly temperature: number | null;
  readonly maxOutputTokens: number | null;
  /** Absent: the model may request tools. */
  readonly toolChoice?: Exclude<ToolChoice, 'auto'>;
  /** Absent: as the model does by default. */
  readonly reasoning?: ReasoningEffort;
  readonly providerOptions?: ProviderOptions;
  readonly policy: CallPolicy;
}

/** What a model is told of a graph that it may call. */
export interface GraphOffer {
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** The rule for fitting a request's messages to a model (specification, "Nodes", `context`). */
export interface ContextPolicy {
  /** Tokens of the whole request; `null` allows the model's maximum. */
  readonly maxTokens: number | null;
  /** `last`, `summarize`, or message processors in the order in which they work. */
  readonly strategy: string | readonly string[];
}

export interface ToolCallRequest {
  readonly kind: 'tool';
  readonly tool: string;
  readonly args: Json;
  readonly effect: CallSafety;
  /** The namespace of a built-in tool of memory. */
  readonly memory?: string;
  /** A person has approved the call with these arguments. */
  readonly isApproved?: true;
  /** The tool's own schema has read the arguments: its code takes them as they are. */
  readonly isRead?: true;
  readonly taskQueue?: string;
  readonly execution?: Execution;
  readonly policy: CallPolicy;
}

/**
 * Has a tool's own schema read arguments, before anything is decided about them. The reply is what the tool's code takes.
 */
export interface ReadingRequest {
  readonly kind: 'reading';
  readonly tool: string;
  readonly args: Json;
  readonly effect: 'idempotent';
  readonly taskQueue?: string;
  readonly execution: 'local';
  readonly policy: CallPolicy;
}

export interface FunctionCallRequest {
  readonly kind: 'function';
  readonly function: string;
  readonly args: Json;
  readonly effect: CallSafety;
  readonly execution?: Execution;
  readonly policy: CallPolicy;
}

/** A node of a type that is registered by code. */
export interface NodeCallRequest {
  readonly kind: 'node';
  readonly nodeType: string;
  /** The node's own fields with filled templates. */
  readonly config: JsonObject;
  readonly state: Json;
  readonly run: Json;
  readonly effect: CallSafety;
  readonly execution?: Execution;
  readonly policy: CallPolicy;
}

export type CallReply = ModelReply | OverflowReply | ValueReply;

export interface ModelReply {
  readonly kind: 'model';
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal' | 'other';
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** The part of the messages that was sent, if a context policy applies. */
  readonly context?: ContextReport;
  /** Parts that the provider needs unchanged in the next request, such as signatures of its reasoning. */
  readonly providerParts?: ProviderParts;
}

export interface ContextReport {
  /** Tokens of the request, counted before sending. */
  readonly tokens: number;
  readonly maxTokens: number;
  /** The number of omitted messages. */
  readonly dropped: number;
}

/** An answer's parts in one provider's own form; they are meaningless to other providers. */
export interface ProviderParts extends JsonObject {
  readonly provider: string;
  readonly parts: readonly Json[];
}

/** The request was not sent, because its first messages must be summarized to fit. */
export interface OverflowReply {
  readonly kind: 'overflow';
  /** The number of messages to summarize, from the first on. */
  readonly messages: number;
}

/** The return value of a tool or function. */
export interface ValueReply {
  readonly kind: 'value';
  readonly value: Json;
  /** The code says that the value is a result, whatever it looks like. */
  readonly isPlain?: true;
}

export interface TimerEffect {
  readonly kind: 'timer';
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly fireAt: number;
  readonly summary: string;
}

/** Cancels a timer that is no longer needed. */
export interface CancelTimerEffect {
  readonly kind: 'cancel.timer';
  readonly id: string;
}

/** Cancels one cancelable call, because the deadline of an enclosing node is over. */
export interface CancelCallEffect {
  readonly kind: 'cancel.call';
  readonly key: string;
}

/** Cancels all open calls, because the run ends. */
export interface CancelCallsEffect {
  readonly kind: 'cancel.calls';
}
