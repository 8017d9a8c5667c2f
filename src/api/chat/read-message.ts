import { isJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { ApiError } from '../http/errors.ts';

/** A message as the AI SDK's `useChat` sends it. Its parts have many types. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly JsonObject[];
  readonly metadata?: Json | undefined;
}

/** A decision of a person on a tool call of an earlier answer. */
export interface SaidDecision {
  readonly approvalId: string;
  readonly isApproved: boolean;
  readonly reason?: string;
}

/** What a client wants with its last message. */
export type Said =
  | { readonly kind: 'text'; readonly id: string; readonly text: string }
  | {
      readonly kind: 'decisions';
      readonly decisions: readonly [SaidDecision, ...SaidDecision[]];
      /** The last event that the client has heard of, as the message's metadata say; `null`: they don't. */
      readonly seen: { readonly runId: string; readonly seq: number } | null;
    };

/**
 * Reads a message of a chat: the text of a user, or an answer with decisions on its tool calls. Inputs and outputs of
 * tools in it are not trusted, and not read.
 * @param at its place in the list
 * @throws ApiError 422 naming the part that is not understood
 */
export function readMessage(messages: readonly UiMessage[], at: number): Said {
  const { id, role, parts, metadata = null } = messages[at] ?? NO_MESSAGE;
  if (role === 'user') return { kind: 'text', id, text: readText(parts, at) };
  const [first, ...others] = parts.flatMap(decisionIn);
  if (role !== 'assistant' || !first)
    throw refused(at, 'The last message must be one of a user, or an answer with decisions on its tool calls');
  return { kind: 'decisions', decisions: [first, ...others], seen: readSeen(metadata) };
}

const NO_MESSAGE: UiMessage = { id: '', role: 'system', parts: [] };

function readSeen(metadata: Json): { readonly runId: string; readonly seq: number } | null {
  const { runId, seq } = isJsonObject(metadata) ? metadata : {};
  return typeof runId === 'string' && typeof seq === 'number' ? { runId, seq } : null;
}

function readText(parts: readonly JsonObject[], at: number): string {
  const texts = parts.map(({ type, text }, part) => {
    if (type === 'text' && typeof text === 'string') return text;
    throw refused(at, 'Only parts of the type text are understood', part);
  });
  const text = texts.join('');
  if (text === '') throw refused(at, 'The message has no text');
  return text;
}

function decisionIn({ state, approval }: JsonObject): readonly SaidDecision[] {
  if (state !== 'approval-responded' || !isJsonObject(approval)) return [];
  const { id, approved, reason } = approval;
  if (typeof id !== 'string' || typeof approved !== 'boolean') return [];
  return [{ approvalId: id, isApproved: approved, ...(typeof reason === 'string' && { reason }) }];
}

function refused(at: number, message: string, part?: number): ApiError {
  const path = `/messages/${at}${part === undefined ? '' : `/parts/${part}`}`;
  return new ApiError('INVALID_REQUEST', message, { issues: [{ path, message }] });
}
