import type { FilePart, MessageContent } from '../../graph/definition/index.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { invalidField } from '../http/errors.ts';
import type { ApiError } from '../http/errors.ts';

/** A message in the format of the AI SDK's `useChat`, whose parts have many types. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly JsonObject[];
  readonly metadata?: Json | undefined;
}

/** A person's decision on a tool call of an earlier answer. */
export interface ChatDecision {
  readonly approvalId: string;
  readonly isApproved: boolean;
  readonly reason?: string;
  /** The digest of the question that the person saw; absent when the client did not keep it. */
  readonly digest?: string;
}

/** The last message of a chat, which is the request: a text to answer, or decisions. */
export type LastMessage =
  | { readonly kind: 'message'; readonly id: string; readonly content: MessageContent }
  | {
      readonly kind: 'decisions';
      readonly decisions: readonly [ChatDecision, ...ChatDecision[]];
      /**
       * The last event that the client has received, from the message's metadata; `null` when the metadata has none.
       */
      readonly seen: { readonly runId: string; readonly seq: number } | null;
    };

/**
 * Parses the last message of a chat: text and files of a user, or an answer with decisions on its tool calls. Tool
 * inputs and outputs in the message are ignored, because the client could have changed them.
 * @throws ApiError 422 with the pointer of the invalid part
 */
export function readLastMessage(messages: readonly UiMessage[]): LastMessage {
  const at = messages.length - 1;
  const { id, role, parts, metadata = null } = messages[at] ?? NO_MESSAGE;
  if (role === 'user') return { kind: 'message', id, content: readMessageContent(parts, at) };
  const [first, ...others] = parts.flatMap(decisionIn);
  if (role !== 'assistant' || !first)
    throw refuseMessages(at, 'The last message must be one of a user, or an answer with decisions on its tool calls');
  return { kind: 'decisions', decisions: [first, ...others], seen: readSeenEvent(metadata) };
}

const NO_MESSAGE: UiMessage = { id: '', role: 'system', parts: [] };

function readSeenEvent(metadata: Json): { readonly runId: string; readonly seq: number } | null {
  const { runId, seq } = isJsonObject(metadata) ? metadata : {};
  return typeof runId === 'string' && typeof seq === 'number' ? { runId, seq } : null;
}

/** A message without files becomes a plain text. */
function readMessageContent(parts: readonly JsonObject[], at: number): MessageContent {
  const read = parts.map((part, index) => {
    const { type, text } = part;
    if (type === 'text' && typeof text === 'string') return text;
    if (type === 'file') return toFilePart(part, at, index);
    throw refuseMessages(at, 'Only parts of the types text and file are understood', index);
  });
  const content = read.filter((part) => part !== '');
  if (content.length === 0) throw refuseMessages(at, 'The message has no text');
  if (content.every((part) => typeof part === 'string')) return content.join('');
  return content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part));
}

function toFilePart({ mediaType, filename, url }: JsonObject, at: number, part: number): FilePart {
  if (typeof mediaType !== 'string' || typeof url !== 'string')
    throw refuseMessages(at, 'A file has a mediaType and a url', part);
  const isStored = url.startsWith(STORED);
  if (!isStored && !/^https?:/i.test(url)) throw refuseMessages(at, NOT_STORED, part);
  const name = typeof filename === 'string' && filename !== '' ? { name: filename } : {};
  const file = { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, ...name } as const;
  return isStored ? { ...file, blob: url.slice(STORED.length) } : { ...file, url };
}

/** The URL prefix of stored files; the file id follows. */
const STORED = '/api/blobs/';
const NOT_STORED =
  'Store the file by POST /api/blobs first, and name it by the url /api/blobs/{id}: no run holds its bytes';

function decisionIn({ state, approval, callProviderMetadata }: JsonObject): readonly ChatDecision[] {
  if (state !== 'approval-responded' || !isJsonObject(approval)) return [];
  const { id, approved, reason } = approval;
  if (typeof id !== 'string' || typeof approved !== 'boolean') return [];
  const digest = digestIn(callProviderMetadata);
  return [
    {
      approvalId: id,
      isApproved: approved,
      ...(typeof reason === 'string' && { reason }),
      ...(digest !== null && { digest }),
    },
  ];
}

/** Returns the digest that a client stores with a call. */
function digestIn(kept: Json | undefined): string | null {
  const own = isJsonObject(kept) ? kept['holdfast'] : undefined;
  const digest = isJsonObject(own) ? own['digest'] : undefined;
  return typeof digest === 'string' ? digest : null;
}

function refuseMessages(at: number, message: string, part?: number): ApiError {
  const path = `/messages/${at}${part === undefined ? '' : `/parts/${part}`}`;
  return invalidField(path, message);
}
