import type { FilePart, MessageContent } from '../../graph/definition/index.ts';
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
  /** The digest of what the person was shown; absent: the client has not kept it. */
  readonly digest?: string;
}

/** What a client wants with its last message. */
export type Said =
  | { readonly kind: 'message'; readonly id: string; readonly content: MessageContent }
  | {
      readonly kind: 'decisions';
      readonly decisions: readonly [SaidDecision, ...SaidDecision[]];
      /** The last event that the client has heard of, as the message's metadata say; `null`: they don't. */
      readonly seen: { readonly runId: string; readonly seq: number } | null;
    };

/**
 * Reads a message of a chat: what a user says and shows, or an answer with decisions on its tool calls. Inputs and outputs of
 * tools in it are not trusted, and not read.
 * @param at its place in the list
 * @throws ApiError 422 naming the part that is not understood
 */
export function readMessage(messages: readonly UiMessage[], at: number): Said {
  const { id, role, parts, metadata = null } = messages[at] ?? NO_MESSAGE;
  if (role === 'user') return { kind: 'message', id, content: readContent(parts, at) };
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

/** A message without files is a text. */
function readContent(parts: readonly JsonObject[], at: number): MessageContent {
  const read = parts.map((part, index) => {
    const { type, text } = part;
    if (type === 'text' && typeof text === 'string') return text;
    if (type === 'file') return toFilePart(part, at, index);
    throw refused(at, 'Only parts of the types text and file are understood', index);
  });
  const said = read.filter((part) => part !== '');
  if (said.length === 0) throw refused(at, 'The message has no text');
  if (said.every((part) => typeof part === 'string')) return said.join('');
  return said.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part));
}

function toFilePart({ mediaType, filename, url }: JsonObject, at: number, part: number): FilePart {
  if (typeof mediaType !== 'string' || typeof url !== 'string')
    throw refused(at, 'A file has a mediaType and a url', part);
  const isStored = url.startsWith(STORED);
  if (!isStored && !/^https?:/i.test(url)) throw refused(at, NOT_STORED, part);
  const name = typeof filename === 'string' && filename !== '' ? { name: filename } : {};
  const file = { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, ...name } as const;
  return isStored ? { ...file, blob: url.slice(STORED.length) } : { ...file, url };
}

/** The address of a stored file, up to its id. */
const STORED = '/api/blobs/';
const NOT_STORED =
  'Store the file by POST /api/blobs first, and name it by the url /api/blobs/{id}: no run holds its bytes';

function decisionIn({ state, approval, callProviderMetadata }: JsonObject): readonly SaidDecision[] {
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

/** Reads what a client keeps with a call. */
function digestIn(kept: Json | undefined): string | null {
  const own = isJsonObject(kept) ? kept['holdfast'] : undefined;
  const digest = isJsonObject(own) ? own['digest'] : undefined;
  return typeof digest === 'string' ? digest : null;
}

function refused(at: number, message: string, part?: number): ApiError {
  const path = `/messages/${at}${part === undefined ? '' : `/parts/${part}`}`;
  return new ApiError('INVALID_REQUEST', message, { issues: [{ path, message }] });
}
