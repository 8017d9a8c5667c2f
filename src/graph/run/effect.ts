import type { CallPolicy, CallSafety, Execution } from '../definition/call-policy.ts';
import type { Message, StoredFilePart, ToolCall } from '../definition/message.ts';
import type { ProviderOptions, ReasoningEffort, ToolChoice } from '../definition/node-types/model-fields.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { NodePath } from './ids.ts';
import type { Principal } from './principal.ts';

/** A request of the interpreter, which the workflow turns into an activity or a timer. */
export type Effect = CallEffect | TimerEffect | CancelTimerEffect | CancelCallEffect | CancelCallsEffect;

export interface CallEffect {
  readonly kind: 'call';
  /** The idempotency key: the same in all attempts, replays and takeovers of one call, and unique to the call. */
  readonly key: string;
  /** The number of times that a person, or a reopened run, has repeated the call under its key. */
  readonly takeover: number;
  readonly node: string;
  /** The index of the list element that the call is made for. */
  readonly index?: number;
  /** For a model call: the visit of its node, and the nodes around it. */
  readonly visit?: number;
  readonly path?: NodePath;
  readonly request: CallRequest;
  /** One line that names the node, for the Temporal Web UI. */
  readonly summary: string;
  /** True if the call may be canceled individually. */
  readonly isCancelable?: true;
  /** True if the call is compensated later when its result is known. */
  readonly isCompensable?: true;
  /** The run's other editors with roles that differ from the starter's. A tool's roles apply to each of them. */
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
  /** Names of the tools that the model may request. */
  readonly tools: readonly string[];
  /** The tools that no worker can describe: graphs, and tools that differ from configured ones; absent if there are none. */
  readonly offers?: Readonly<Record<string, ToolOffer>>;
  /** The rule for fitting the messages; `null` if all of them are sent. */
  readonly context: ContextPolicy | null;
  readonly output: JsonSchema | null;
  readonly temperature: number | null;
  readonly maxOutputTokens: number | null;
  /** Absent if the model may request tools. */
  readonly toolChoice?: Exclude<ToolChoice, 'auto'>;
  /** Absent for the model's default. */
  readonly reasoning?: ReasoningEffort;
  readonly providerOptions?: ProviderOptions;
  readonly policy: CallPolicy;
}

/** The description of a tool for a model. */
export interface ToolOffer {
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** The rule for fitting a request's messages to a model (docs/context.md). */
export interface ContextPolicy {
  /** Tokens of the whole request; `null` allows the model's maximum. */
  readonly maxTokens: number | null;
  /** `last`, `summarize`, or message processors in the order of their execution. */
  readonly strategy: string | readonly string[];
}

export interface ToolCallRequest {
  readonly kind: 'tool';
  readonly tool: string;
  readonly args: Json;
  readonly effect: CallSafety;
  /** The namespace of a built-in memory tool. */
  readonly memory?: string;
  /** True if a person has approved the call with these arguments. */
  readonly isApproved?: true;
  /** True if the tool's own schema has read the arguments, so its code receives them unchanged. */
  readonly isRead?: true;
  readonly taskQueue?: string;
  readonly execution?: Execution;
  readonly policy: CallPolicy;
}

/**
 * Requests that a tool's own schema reads arguments, before any decision about them. The reply contains the arguments
 * for the tool's code.
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
  /** Tokens of the request, counted before it is sent. */
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

/** The request was not sent, because its first messages must be summarized first. */
export interface OverflowReply {
  readonly kind: 'overflow';
  /** The number of messages to summarize, from the first on. */
  readonly messages: number;
}

/** The return value of a tool or function. */
export interface ValueReply {
  readonly kind: 'value';
  readonly value: Json;
  /** True if the code has marked the value as a result, even if it looks like a command. */
  readonly isPlain?: true;
  /** Files of a tool's answer for which the value has no member; absent if there are none. */
  readonly files?: readonly StoredFilePart[];
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
