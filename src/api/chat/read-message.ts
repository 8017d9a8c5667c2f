import { ulid } from 'ulid';
import type { FilePart, MessageContent } from '../../graph/definition/index.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { ApiError } from '../http/errors.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { Act } from '../../store/audit.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { recordedAct } from '../http/recorded-act.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { findApproval } from '../approvals/find-approval.ts';
import { hiddenFrom, shownApproval } from '../redaction.ts';
import { findRun } from '../runs/run-json.ts';

/** A message in the format of the AI SDK's `useChat`, whose parts have many types. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly JsonObject[];
  readonly metadata?: Json | undefined;
}

/** A person's decision on a tool call of an earlier answer. */
export interface SaidDecision {
  readonly approvalId: string;
  readonly isApproved: boolean;
  readonly reason?: string;
  /** The digest of the question that the person saw; absent when the client did not keep it. */
  readonly digest?: string;
}

/** The request that the client's last message makes. */
export type Said =
  | { readonly kind: 'message'; readonly id: string; readonly content: MessageContent }
  | {
      readonly kind: 'decisions';
      readonly decisions: readonly [SaidDecision, ...SaidDecision[]];
      /**
       * The last event that the client has received, from the message's metadata; `null` when the metadata has none.
       */
      readonly seen: { readonly runId: string; readonly seq: number } | null;
    };

/**
 * Parses the last message of a chat: text and files of a user, or an answer with decisions on its tool calls. Tool
 * inputs and outputs in the message are ignored, because the client could have changed them.
 * @param at the index of the message in the list
 * @throws ApiError 422 with the pointer of the invalid part
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

/** A message without files becomes a plain text. */
function readContent(parts: readonly JsonObject[], at: number): MessageContent {
  const read = parts.map((part, index) => {
    const { type, text } = part;
    if (type === 'text' && typeof text === 'string') return text;
    if (type === 'file') return toFilePart(part, at, index);
    throw refused(at, 'Only parts of the types text and file are understood', index);
  });
  const content = read.filter((part) => part !== '');
  if (content.length === 0) throw refused(at, 'The message has no text');
  if (content.every((part) => typeof part === 'string')) return content.join('');
  return content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part));
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

/** The URL prefix of stored files; the file id follows. */
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

/** Returns the digest that a client stores with a call. */
function digestIn(kept: Json | undefined): string | null {
  const own = isJsonObject(kept) ? kept['holdfast'] : undefined;
  const digest = isJsonObject(own) ? own['digest'] : undefined;
  return typeof digest === 'string' ? digest : null;
}

function refused(at: number, message: string, part?: number): ApiError {
  const path = `/messages/${at}${part === undefined ? '' : `/parts/${part}`}`;
  return new ApiError('INVALID_REQUEST', message, { issues: [{ path, message }] });
}

/** The decisions of a chat message, and the run that they belong to. */
export interface ChatDecisions {
  readonly run: RunRecord;
  /** Makes the decisions that were not made before. @throws ApiError as `decideApproval` does */
  readonly decide: (record: RecordAct) => Promise<void>;
}

/** Finds the run of decisions by their approval ids. @throws ApiError 404 unless all belong to one run of the thread */
export async function findDecisions(
  deps: ApiDeps,
  caller: Caller,
  threadId: string,
  decisions: readonly [SaidDecision, ...SaidDecision[]],
): Promise<ChatDecisions> {
  const found = await Promise.all(
    decisions.map(async (one) => ({ decision: one, approval: await findApproval(deps, caller, one.approvalId) })),
  );
  const [{ approvalId }] = decisions;
  const runId = found[0]?.approval.runId ?? '';
  const run = await findRun(deps, caller, runId);
  if (
    run.threadId !== threadId ||
    run.tenantId !== caller.tenantId ||
    found.some(({ approval }) => approval.runId !== runId)
  )
    throw new ApiError('UNKNOWN_APPROVAL', `This thread has no approval "${approvalId}"`);
  const hidden = hiddenFrom(caller, run);
  const open = found.flatMap(({ decision: one, approval }) => {
    const digest = one.digest ?? firstDigest(shownApproval(approval, hidden, deps.fingerprints));
    return approval.status === 'pending' && digest !== null ? [{ ...one, digest }] : [];
  });
  return {
    run,
    async decide(record) {
      const at = new Date().toISOString();
      for (const decision of open) await decideOnce(deps, caller, { run, decision, at, record });
    },
  };
}

/**
 * Returns the digest for a client that sends none: that of the approval as first requested.
 * @returns `null` if earlier decisions may have changed the question
 */
function firstDigest({ decisions, digest }: Pick<Approval, 'decisions' | 'digest'>): string | null {
  return decisions.length === 0 ? digest : null;
}

/** A decision with the digest of what the person saw. */
type SeenDecision = SaidDecision & Required<Pick<SaidDecision, 'digest'>>;

function toAct({ approvalId, isApproved }: SaidDecision): Act {
  return { action: isApproved ? 'approval.approve' : 'approval.reject', subject: approvalId };
}

/**
 * Error codes of decisions that have no effect and are ignored: a client repeats decisions until it receives their
 * result, and a question that has changed is sent to it again.
 */
const WITHOUT_EFFECT: ReadonlySet<ApiError['code']> = new Set(['ALREADY_DECIDED', 'APPROVAL_CHANGED']);

interface DecisionInChat {
  readonly run: RunRecord;
  readonly decision: SeenDecision;
  /** The time when the message was received (RFC 3339). */
  readonly at: string;
  readonly record: RecordAct;
}

async function decideOnce(deps: ApiDeps, caller: Caller, { run, decision, at, record }: DecisionInChat): Promise<void> {
  const { approvalId, isApproved, reason, digest } = decision;
  const attempt = { id: ulid(), isRepetition: false };
  const wanted = { decision: isApproved ? 'approve' : 'reject', approvalId, reason, digest } as const;
  try {
    await recordedAct(
      record,
      toAct(decision),
      async () => await decideApproval(deps, caller, { run, attempt, wanted, at }),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || !WITHOUT_EFFECT.has(error.code)) throw error;
  }
}
