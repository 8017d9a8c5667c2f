import { isDefinition } from '../../graph/definition/index.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { findForRun } from '../graphs/resolve-graph.ts';
import { requirePermission } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import { plainRun } from '../runs/start-run.ts';
import type { WantedRun } from '../runs/start-run.ts';
import { subscribeToRun } from '../streams/subscribe-to-run.ts';
import type { RunSubscription } from '../streams/subscribe-to-run.ts';
import { admitMessage } from './admit-message.ts';
import { findDecisions } from './chat-decisions.ts';
import { RecordedAnswers, chunksOfRun } from './chat-stream.ts';
import type { StreamEnd } from './chat-stream.ts';
import { planChat } from './messages/plan-chat.ts';
import type { UiChunk } from './messages/plan-chat.ts';
import { readLastMessage } from './read-last-message.ts';
import type { LastMessage, UiMessage } from './read-last-message.ts';
import { findRun, unknownRun } from '../runs/read-run.ts';

/** The body of a chat request. */
export interface ChatRequest {
  /** `name` or `name@version`. */
  readonly graph: string;
  readonly threadId: string;
  readonly messages: readonly UiMessage[];
  /** Values of input channels other than the one that receives the user's message. */
  readonly input: JsonObject;
  readonly onBusy: WantedRun['onBusy'];
  /** Idempotency key that replaces the message's id; `null` when the client sent none. */
  readonly key: string | null;
  readonly record: RecordAct;
}

/** The stream of one answer, which follows a run. */
export interface ChatAnswer {
  /** The chunks of the answer. They end early when one of the signals is aborted. */
  readonly chunks: (unwanted: readonly AbortSignal[]) => AsyncGenerator<UiChunk, void>;
  /** Ends the subscription to the run, even if the chunks were never read. */
  readonly close: () => void;
}

type LastMessageOf<Kind extends LastMessage['kind']> = Extract<LastMessage, { readonly kind: Kind }>;

/**
 * Answers the last message of a chat: a text starts a run of the graph, decisions resume the run that waits for them.
 * @throws ApiError when the run can't be started or a decision is refused
 */
export async function answerChat(deps: ApiDeps, caller: Caller, request: ChatRequest): Promise<ChatAnswer> {
  const { messages } = request;
  const sent = readLastMessage(messages);
  return sent.kind === 'message'
    ? await startForMessage(deps, caller, request, sent)
    : await resumeByDecisions(deps, caller, request, sent);
}

/** Streams a run as one message, from its first event on. */
export async function followRun(deps: ApiDeps, caller: Caller, runId: string, until: StreamEnd): Promise<ChatAnswer> {
  return await withSubscription(
    deps,
    runId,
    async (subscription) => await openChatAnswer(deps, caller, { subscription, runId, after: 0, until }),
  );
}

async function startForMessage(
  deps: ApiDeps,
  caller: Caller,
  request: ChatRequest,
  sent: LastMessageOf<'message'>,
): Promise<ChatAnswer> {
  const { threadId, onBusy } = request;
  requirePermission(caller, 'run:start');
  const input = { ...request.input, ...(await inputOfMessage(deps, caller, request.graph, sent)) };
  const wanted = plainRun({ graph: request.graph, input, threadId, onBusy });
  const key = request.key ?? `${threadId}/${sent.id}`;
  const { runId, begin } = await admitMessage(deps, caller, key, wanted);
  return await withSubscription(deps, runId, async (subscription) => {
    await begin();
    return await openChatAnswer(deps, caller, { subscription, runId, after: 0, until: 'approval' });
  });
}

/**
 * Builds the run's input from a message. A canary version must take messages by the same channel as the main version.
 * @throws ApiError 404 for an unknown graph, 422 for a graph that takes no texts or no files
 */
async function inputOfMessage(
  { store }: ApiDeps,
  { tenantId, permissions }: Caller,
  graph: string,
  { id, content }: LastMessageOf<'message'>,
): Promise<JsonObject> {
  const { definition } = await findForRun(graph, { store, tenantId, permissions }, id);
  if (!isDefinition(definition)) throw new ApiError('UNKNOWN_GRAPH', `There is no graph "${graph}"`);
  const { input } = planChat(definition);
  if (!input) throw new ApiError('INVALID_INPUT', `The graph "${graph}" has no channel that takes a message`);
  if (input.kind === 'messages') return { [input.channel]: [{ id, role: 'user', content }] };
  if (typeof content === 'string') return { [input.channel]: content };
  throw new ApiError('INVALID_INPUT', `The graph "${graph}" takes texts without files`);
}

async function resumeByDecisions(
  deps: ApiDeps,
  caller: Caller,
  request: ChatRequest,
  sent: LastMessageOf<'decisions'>,
): Promise<ChatAnswer> {
  requirePermission(caller, 'approval:decide');
  const { run, decide } = await findDecisions(deps, caller, request.threadId, sent.decisions);
  const after = sent.seen?.runId === run.id ? sent.seen.seq : run.lastSeq;
  return await withSubscription(deps, run.id, async (subscription) => {
    await decide(request.record);
    return await openChatAnswer(deps, caller, { subscription, runId: run.id, after, until: 'approval' });
  });
}

/** Runs `work` with a subscription to a run, and closes the subscription if `work` throws. */
async function withSubscription(
  deps: ApiDeps,
  runId: string,
  work: (subscription: RunSubscription) => Promise<ChatAnswer>,
): Promise<ChatAnswer> {
  const subscription = await subscribeToRun(deps.store, { runId, detail: 'tokens' });
  try {
    return await work(subscription);
  } catch (error) {
    subscription.close();
    throw error;
  }
}

interface AnswerOptions {
  readonly subscription: RunSubscription;
  readonly runId: string;
  readonly after: number;
  readonly until: StreamEnd;
}

async function openChatAnswer(
  deps: ApiDeps,
  caller: Caller,
  { subscription, runId, ...part }: AnswerOptions,
): Promise<ChatAnswer> {
  const run = await findRun(deps, caller, runId);
  const plan = planChat(await readDefinition(deps, run.graph.hash, runId));
  const recordedAnswers = new RecordedAnswers(run.lastSeq === 0 ? [] : await deps.store.ledger.answerTexts(runId));
  const message = { runId, plan, caller, recordedAnswers, ...part };
  return {
    chunks: (unwanted) => chunksOfRun(deps, message, subscription.updates(0, unwanted)),
    close: subscription.close,
  };
}

/** Reads the definition of a run's graph. @throws ApiError 404 if the run was deleted meanwhile */
export async function readDefinition({ store }: ApiDeps, hash: string, runId: string): Promise<GraphDefinition> {
  const definition = await store.graphs.definition(hash);
  if (isDefinition(definition)) return definition;
  throw unknownRun(runId);
}
