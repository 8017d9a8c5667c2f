import type { RunEvent } from '../graph/journal/index.ts';
import { calleeOf, toPublicApproval } from '../graph/run/index.ts';
import type { Approval, CallEffect, CallReply, OccurrenceBody, PublicApproval } from '../graph/run/index.ts';
import type { AdvanceResult } from '../graph/advance/index.ts';
import { toJson } from '../graph/values/index.ts';
import type { RunError, Json } from '../graph/values/index.ts';

/** A call that a run has made or requested. */
export interface TestCall {
  readonly kind: 'model' | 'tool' | 'function' | 'node';
  /** The name of the model, tool, function or node type. */
  readonly name: string;
  /** The node that makes it. */
  readonly node: string;
  /** The index of the list element that the call is made for. */
  readonly index?: number;
  /** The idempotency key. */
  readonly key: string;
  /** The arguments; for a model call `{ system, messages, tools }`, for a call of a node type the filled fields. */
  readonly args: Json;
  /** The number of attempts. */
  readonly attempts: number;
  /** What its code has reported by `context.progress`, in order; absent if nothing. */
  readonly progress?: readonly Json[];
  /** The result; for a model call `{ text, toolCalls }`. `null` if there is none. */
  readonly result: Json;
  readonly error: RunError | null;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The calls, approvals and events of a run under test. */
export class RunRecord {
  readonly events: RunEvent[] = [];
  readonly #calls = new Map<string, Mutable<TestCall>>();
  readonly #approvals = new Map<string, Approval>();

  get calls(): readonly TestCall[] {
    return [...this.#calls.values()];
  }

  get approvals(): readonly PublicApproval[] {
    return [...this.#approvals.values()].map(toPublicApproval);
  }

  approval(id: string): Approval | null {
    return this.#approvals.get(id) ?? null;
  }

  addStep({ events, approvals, effects }: AdvanceResult): void {
    this.events.push(...events);
    for (const approval of approvals) this.#approvals.set(approval.id, approval);
    for (const effect of effects) if (effect.kind === 'call') this.#addCall(effect);
  }

  addAttempt(key: string): void {
    const call = this.#calls.get(key);
    if (call) call.attempts += 1;
  }

  addProgress(key: string, value: Json): void {
    const call = this.#calls.get(key);
    if (call) call.progress = [...(call.progress ?? []), value];
  }

  addOccurrence(occurrence: OccurrenceBody): void {
    const call = 'key' in occurrence ? this.#calls.get(occurrence.key) : undefined;
    if (!call) return;
    if (occurrence.kind === 'call.completed')
      Object.assign(call, { result: replyResult(occurrence.reply), error: null });
    if (occurrence.kind === 'call.failed') call.error = occurrence.failure.error;
  }

  #addCall({ key, node, index, request }: CallEffect): void {
    const { kind, name } = calleeOf(request);
    // The arguments in a reading are those of the call itself.
    if (kind === 'reading' || this.#calls.has(key)) return;
    const call = { kind, name, node, ...(index !== undefined && { index }), key };
    this.#calls.set(key, { ...call, args: requestArgs(request), attempts: 0, result: null, error: null });
  }
}

function requestArgs(request: CallEffect['request']): Json {
  switch (request.kind) {
    case 'model':
      return toJson({ system: request.system, messages: request.messages, tools: request.tools });
    case 'node':
      return request.config;
    default:
      return request.args;
  }
}

function replyResult(reply: CallReply): Json {
  switch (reply.kind) {
    case 'value':
      return reply.value;
    case 'model':
      return toJson({ text: reply.text, toolCalls: reply.toolCalls });
    case 'overflow':
      return null;
  }
}

/** Returns the nodes in the order in which they began; a node inside a subgraph is `outer/inner`. */
export function nodePathOf(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'node.started' ? [[...(event.path ?? []), event.node].join('/')] : [],
  );
}

/** Returns the nodes of each superstep of the run's own graph. */
export function superstepsOf(events: readonly RunEvent[]): readonly (readonly string[])[] {
  return events.flatMap((event) => (event.type === 'step.started' && event.path === undefined ? [event.nodes] : []));
}
