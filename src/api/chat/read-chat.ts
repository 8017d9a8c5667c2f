import { contentParts, isFilePart, isMessageContent } from '../../graph/definition/index.ts';
import type { ContentPart } from '../../graph/definition/index.ts';
import { hideChannels } from '../../graph/redaction/index.ts';
import { isJsonObject, own, toItems } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { RunStatus } from '../../graph/run/index.ts';
import type { HistoryParts } from '../../store/history-parts.ts';
import { MAX_PAGE_BYTES } from '../../store/page.ts';
import type { Position } from '../../store/page.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { hiddenFrom } from '../redaction.ts';
import type { RunUpdate } from '../streams/subscribe-to-run.ts';
import { readDefinition } from './answer-chat.ts';
import { RecordedAnswers, chunksOfRun } from './chat-stream.ts';
import { fileUrlOf } from './messages/message-builder.ts';
import { MessageCollector } from './messages/message-collector.ts';
import type { ChatMessage } from './messages/message-collector.ts';
import { planChat } from './messages/plan-chat.ts';
import type { ChatPlan } from './messages/plan-chat.ts';

/** The part of a conversation that is requested. */
export interface ChatPage {
  /** Stops at the run with which there are as many messages; those of one run stay together. */
  readonly limit: number;
  /** Only messages before this run of the thread. */
  readonly before?: string | undefined;
}

/**
 * Reads the messages of a thread in their order, as its streams have sent them, the newest ones if they are too many.
 * The answer of the active run is read as far as it is, with its pending approvals.
 * @returns no message for an unknown thread
 * @throws ApiError 400 if `before` is no run of the thread
 */
export async function readChat(
  deps: ApiDeps,
  caller: Caller,
  threadId: string,
  { limit, before }: ChatPage,
): Promise<readonly ChatMessage[]> {
  const after = before === undefined ? undefined : await positionOfRun(deps, caller, threadId, before);
  const messages: ChatMessage[] = [];
  let bytes = 0;
  for await (const run of runsOfThread(deps, caller, threadId, after)) {
    const ofRun = await messagesOfRun(deps, caller, run);
    bytes += Buffer.byteLength(JSON.stringify(ofRun));
    if (bytes > MAX_PAGE_BYTES && messages.length > 0) break;
    messages.unshift(...ofRun);
    if (messages.length >= limit) break;
  }
  return withoutReplaced(messages);
}

const RUNS_AT_ONCE = 20;
/** The most runs whose histories are read for one page. */
const MAX_RUNS = 200;

/** Reads the runs of a thread, the newest first. */
async function* runsOfThread(
  { store }: ApiDeps,
  { tenantId }: Caller,
  threadId: string,
  after: Position | undefined,
): AsyncGenerator<RunRecord, void> {
  let next = after;
  for (let read = 0; read < MAX_RUNS; read += RUNS_AT_ONCE) {
    const page = await store.runs.list(tenantId, { threadId }, { limit: RUNS_AT_ONCE, after: next });
    yield* page.items;
    if (!page.next) return;
    next = page.next;
  }
}

async function positionOfRun(
  { store }: ApiDeps,
  { tenantId }: Caller,
  threadId: string,
  runId: string,
): Promise<Position> {
  const run = await store.runs.find(runId);
  if (run?.tenantId === tenantId && run.threadId === threadId) return { at: run.createdAt, id: run.id };
  throw new ApiError('INVALID_CURSOR', '"before" is no id of a run of this thread, as the metadata of messages has it');
}

/** A message with a known id replaces the earlier one in its place. */
function withoutReplaced(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return [...new Map(messages.map((message) => [message.id, message])).values()];
}

/** Reads what was said to a run, and its answer. */
async function messagesOfRun(deps: ApiDeps, caller: Caller, run: RunRecord): Promise<readonly ChatMessage[]> {
  const plan = planChat(await readDefinition(deps, run.graph.hash, run.id));
  const input = hideChannels(run.input, hiddenFrom(caller, run));
  const said = plan.input ? toItems(own(input, plan.input.channel) ?? null) : [];
  const answer = await readAnswer(deps, caller, run, plan);
  return [...said.flatMap((message, index) => toInputMessage(message, run.id, index)), ...(answer ? [answer] : [])];
}

/** Converts a message of the input; a text is one of the user. @returns nothing for messages that are not said by people or models */
function toInputMessage(message: Json, runId: string, index: number): readonly ChatMessage[] {
  const { role = 'user', content = null, id } = isJsonObject(message) ? message : ({ content: message } as const);
  if (role === 'tool' || typeof role !== 'string' || !isMessageContent(content)) return [];
  return [
    {
      id: typeof id === 'string' ? id : `${runId}-input-${index}`,
      role: role === 'assistant' || role === 'system' ? role : 'user',
      metadata: { runId },
      parts: contentParts(content).map(toMessagePart),
    },
  ];
}

function toMessagePart(part: ContentPart): ChatMessage['parts'][number] {
  if (!isFilePart(part)) return { type: 'text', text: part.text };
  const { mediaType, name } = part;
  return { type: 'file', url: fileUrlOf(part), mediaType, ...(typeof name === 'string' && { filename: name }) };
}

/** Reads the answer of a run. @returns `null` when it has no part yet */
async function readAnswer(
  deps: ApiDeps,
  caller: Caller,
  { id: runId, lastSeq }: RunRecord,
  plan: ChatPlan,
): Promise<ChatMessage | null> {
  if (lastSeq === 0) return null;
  const recordedAnswers = new RecordedAnswers(await deps.store.ledger.answerTexts(runId));
  const stored = new StoredUpdates(deps.store.historyParts, runId);
  const collector = new MessageCollector();
  const message = { runId, plan, caller, after: 0, until: 'approval', recordedAnswers } as const;
  for await (const chunk of chunksOfRun(deps, message, stored.read())) collector.add(chunk);
  const { parts, error } = collector;
  if (parts.length === 0) return null;
  const { seq, status } = stored;
  return {
    id: runId,
    role: 'assistant',
    metadata: { runId, seq, status, ...(error !== null && { error }) },
    parts: [...parts],
  };
}

/** The updates of a run that are stored now. */
class StoredUpdates {
  readonly #historyParts: HistoryParts;
  readonly #runId: string;
  /** The last event that was read. */
  seq = 0;
  /** The run's status when it was read last. */
  status: RunStatus = 'queued';

  constructor(historyParts: HistoryParts, runId: string) {
    this.#historyParts = historyParts;
    this.#runId = runId;
  }

  async *read(): AsyncGenerator<RunUpdate, void> {
    for (;;) {
      const run = await this.#historyParts.after(this.#runId, this.seq);
      if (!run) return;
      const { events, hasMore, status, lastSeq } = run;
      this.seq = events.at(-1)?.seq ?? this.seq;
      this.status = status;
      yield { deltas: [], progress: [], events, run, isUpToDate: lastSeq <= this.seq };
      if (!hasMore) return;
    }
  }
}
