import type { DynamicToolUIPart, UIMessage } from 'ai';
import type { RunStatus } from '../../../graph/run/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import type { UiChunk } from './plan-chat.ts';

/** What a chat message says about the run that it belongs to. */
export interface ChatMetadata {
  readonly runId: string;
  /** The last event that the message contains; absent from messages of users. */
  readonly seq?: number;
  readonly status?: RunStatus;
  /** Why the answer has ended without being complete. */
  readonly error?: string;
}

/** A message as `useChat` keeps it. */
export type ChatMessage = UIMessage<ChatMetadata, { readonly output: Json }>;
type MessagePart = ChatMessage['parts'][number];

/**
 * Collects the chunks of a stream into the parts of its message, as the AI SDK does in a browser. Unlike there, a call
 * that followed an approval keeps how it was decided.
 */
export class MessageCollector {
  readonly #parts: MessagePart[] = [];
  /** The indexes of text parts, by the ids of their chunks. */
  readonly #texts = new Map<string, number>();
  /** The ids of approvals, by the ids of their calls. */
  readonly #approvals = new Map<string, string>();
  #error: string | null = null;

  add(chunk: UiChunk): void {
    switch (chunk.type) {
      case 'start-step':
        return void this.#parts.push({ type: 'step-start' });
      case 'text-start':
        this.#texts.set(chunk.id, this.#parts.length);
        return void this.#parts.push({ type: 'text', text: '', state: 'done' });
      case 'text-delta':
        return this.#addText(chunk.id, chunk.delta);
      case 'file':
        return void this.#parts.push({ type: 'file', url: chunk.url, mediaType: chunk.mediaType });
      case 'data-output':
        return void this.#parts.push({ type: 'data-output', data: chunk.data });
      case 'error':
        this.#error = chunk.errorText;
        return;
      default:
        return this.#addToCall(chunk);
    }
  }

  /** The parts of the message so far; texts are complete. */
  get parts(): readonly MessagePart[] {
    return this.#parts;
  }

  /** Why the message ends; `null` if it reports no error. */
  get error(): string | null {
    return this.#error;
  }

  #addText(id: string, delta: string): void {
    const index = this.#texts.get(id) ?? -1;
    const part = this.#parts[index];
    if (part?.type === 'text') this.#parts[index] = { ...part, text: part.text + delta };
  }

  #addToCall(chunk: UiChunk): void {
    switch (chunk.type) {
      case 'tool-input-available':
        return this.#request(chunk);
      case 'tool-approval-request':
        this.#approvals.set(chunk.toolCallId, chunk.approvalId);
        return this.#change(chunk.toolCallId, (call) => ({
          ...call,
          state: 'approval-requested',
          approval: { id: chunk.approvalId },
        }));
      case 'tool-output-available':
        return this.#change(chunk.toolCallId, (call, approval) => ({
          ...call,
          state: 'output-available',
          output: chunk.output,
          ...(approval !== undefined && { approval: { id: approval, approved: true } }),
        }));
      case 'tool-output-error':
        return this.#change(chunk.toolCallId, (call, approval, wasAsked) => ({
          ...call,
          state: 'output-error',
          errorText: chunk.errorText,
          // A question that nobody approved has ended with the error itself.
          ...(approval !== undefined && !wasAsked && { approval: { id: approval, approved: true } }),
        }));
      case 'tool-output-denied':
        return this.#change(chunk.toolCallId, (call, approval = call.toolCallId) => ({
          ...call,
          state: 'output-denied',
          approval: { id: approval, approved: false },
        }));
      default:
    }
  }

  /** Adds a call, or changes the one with the same id in the current step. */
  #request({ toolCallId, toolName, input, title, providerMetadata }: RequestedCall): void {
    const step = this.#parts.findLastIndex(({ type }) => type === 'step-start');
    const found = this.#indexOf(toolCallId);
    const index = found > step ? found : this.#parts.length;
    const known = this.#parts[index];
    this.#parts[index] = {
      ...(known?.type === 'dynamic-tool' && callOf(known)),
      type: 'dynamic-tool',
      toolName,
      toolCallId,
      ...(title !== undefined && { title }),
      ...(providerMetadata && { callProviderMetadata: providerMetadata }),
      state: 'input-available',
      input,
    };
  }

  /** Changes a call; a chunk of an unknown call has no effect. */
  #change(toolCallId: string, toPart: ToCallPart): void {
    const index = this.#indexOf(toolCallId);
    const part = this.#parts[index];
    if (part?.type !== 'dynamic-tool') return;
    this.#parts[index] = toPart(callOf(part), this.#approvals.get(toolCallId), part.state === 'approval-requested');
  }

  #indexOf(toolCallId: string): number {
    return this.#parts.findLastIndex((part) => part.type === 'dynamic-tool' && part.toolCallId === toolCallId);
  }
}

type RequestedCall = Extract<UiChunk, { readonly type: 'tool-input-available' }>;
/** The fields of a call that are the same in all of its states. */
type CallFields = ReturnType<typeof callOf>;

/**
 * @param approval the id of the approval that preceded the call, if there was one
 * @param wasAsked true while the approval is pending
 */
type ToCallPart = (call: CallFields, approval: string | undefined, wasAsked: boolean) => DynamicToolUIPart;

function callOf({ type, toolName, toolCallId, title, callProviderMetadata, input }: DynamicToolUIPart) {
  return {
    type,
    toolName,
    toolCallId,
    ...(title !== undefined && { title }),
    ...(callProviderMetadata && { callProviderMetadata }),
    input,
  };
}
