import type { CallPolicy } from '../definition/call-policy.ts';
import type { CallSafety } from '../definition/catalog.ts';
import type { Message, ToolCall } from '../definition/message.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import type { Json, JsonObject } from '../values/json.ts';

/** What the interpreter wants done next. The workflow turns effects into activities and timers. */
export type Effect = CallEffect | TimerEffect | CancelTimerEffect | CancelCallEffect | CancelCallsEffect;

export interface CallEffect {
  readonly kind: 'call';
  /** The idempotency key: equal over attempts, replays and takeovers of one call, different for every other. */
  readonly key: string;
  /** Higher when a person orders a call again whose outcome is unknown. */
  readonly takeover: number;
  readonly node: string;
  /** The element of a list that the call is made for. */
  readonly index?: number;
  readonly request: CallRequest;
  /** One line that names the node, for the Temporal Web UI. */
  readonly summary: string;
  /** It may be called back alone. */
  readonly isCancelable?: true;
  /** What it does can be taken back, if its result is known. */
  readonly isCompensable?: true;
}

export type CallRequest = ModelCallRequest | ToolCallRequest | FunctionCallRequest | NodeCallRequest;

export interface ModelCallRequest {
  readonly kind: 'model';
  readonly model: string;
  readonly system: string | null;
  readonly messages: readonly Message[];
  /** Names of the tools that the model may ask for. */
  readonly tools: readonly string[];
  /** How the messages are made to fit; `null`: all of them are sent. */
  readonly context: ContextPolicy | null;
  readonly output: JsonSchema | null;
  readonly temperature: number | null;
  readonly maxOutputTokens: number | null;
  readonly policy: CallPolicy;
}

/** How a request's messages are made to fit (specification, "Nodes", `context`). */
export interface ContextPolicy {
  /** Tokens of the whole request; `null`: as many as the model takes. */
  readonly maxTokens: number | null;
  /** `last`, `summarize`, or message processors in the order in which they work. */
  readonly strategy: string | readonly string[];
}

export interface ToolCallRequest {
  readonly kind: 'tool';
  readonly tool: string;
  readonly args: Json;
  readonly effect: CallSafety;
  readonly taskQueue?: string;
  readonly policy: CallPolicy;
}

export interface FunctionCallRequest {
  readonly kind: 'function';
  readonly function: string;
  readonly args: Json;
  readonly effect: CallSafety;
  readonly policy: CallPolicy;
}

/** A node of a type that is registered by code. */
export interface NodeCallRequest {
  readonly kind: 'node';
  readonly nodeType: string;
  /** Its own fields, templates filled. */
  readonly config: JsonObject;
  readonly state: Json;
  readonly run: Json;
  readonly effect: CallSafety;
  readonly policy: CallPolicy;
}

export type CallReply = ModelReply | OverflowReply | ValueReply;

export interface ModelReply {
  readonly kind: 'model';
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal' | 'other';
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** What was sent of the messages, where a policy says how they fit. */
  readonly context?: ContextReport;
  /** What the provider wants back as it is with the next request, such as signatures of its reasoning. */
  readonly providerParts?: ProviderParts;
}

export interface ContextReport {
  /** Of the request, counted before it was sent. */
  readonly tokens: number;
  readonly maxTokens: number;
  /** So many messages were left out. */
  readonly dropped: number;
}

/** An answer's parts in the provider's own form. They mean nothing to another provider. */
export interface ProviderParts extends JsonObject {
  readonly provider: string;
  readonly parts: readonly Json[];
}

/** Nothing was sent: the first messages have to be summarized before the others fit. */
export interface OverflowReply {
  readonly kind: 'overflow';
  /** How many of the request's messages, from the first on. */
  readonly messages: number;
}

/** What a tool or function returned. */
export interface ValueReply {
  readonly kind: 'value';
  readonly value: Json;
}

export interface TimerEffect {
  readonly kind: 'timer';
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly fireAt: number;
  readonly summary: string;
}

/** Takes back a timer that nobody waits for any more. */
export interface CancelTimerEffect {
  readonly kind: 'cancel.timer';
  readonly id: string;
}

/** Calls one call back that is revocable: the deadline of a node around it is over. */
export interface CancelCallEffect {
  readonly kind: 'cancel.call';
  readonly key: string;
}

/** Calls everything back that is out: the run ends, and nothing will be called after it. */
export interface CancelCallsEffect {
  readonly kind: 'cancel.calls';
}
