import { ulid } from 'ulid';
import { isDefinition } from '../../graph/definition/index.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { JsonObject, Json } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { findForRun } from '../graphs/resolve-graph.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import { requirePermission } from '../middleware/authorized.ts';
import { findRun, unknownRun } from '../runs/run-json.ts';
import { startRun } from '../runs/start-run.ts';
import type { WantedRun } from '../runs/start-run.ts';
import { listenToRun } from '../streams/listen-to-run.ts';
import type { RunEar, Heard } from '../streams/listen-to-run.ts';
import { findDecisions, readMessage } from './read-message.ts';
import type { Said, UiMessage } from './read-message.ts';
import { planChat } from './messages/plan-chat.ts';
import type { Chunk, ChatPlan } from './messages/plan-chat.ts';
import { RecordedAnswers } from './messages/recorded-answers.ts';
import type { RequestKey } from '../../store/idempotency.ts';
import { contentHash } from '../http/fingerprints.ts';
import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import { hideDelta } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { hiddenFrom, shownEvent } from '../redaction.ts';
import { EditedQuestions } from './messages/sent-calls.ts';
import { MessageBuilder } from './messages/message-builder.ts';
import type { SseBody } from '../streams/sse-body.ts';

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
export interface Answer {
  /** The chunks of the answer. They end early when one of the signals is aborted. */
  readonly chunks: (unwanted: readonly AbortSignal[]) => AsyncGenerator<Chunk, void>;
  /** Ends the subscription to the run, even if the chunks were never read. */
  readonly close: () => void;
}

type SaidOf<Kind extends Said['kind']> = Extract<Said, { readonly kind: Kind }>;

/**
 * Answers the last message of a chat: a text starts a run of the graph, decisions resume the run that waits for them.
 * @throws ApiError when the run can't be started or a decision is refused
 */
export async function answerChat(deps: ApiDeps, caller: Caller, request: ChatRequest): Promise<Answer> {
  const { messages } = request;
  const sent = readMessage(messages, messages.length - 1);
  return sent.kind === 'message'
    ? await startTurn(deps, caller, request, sent)
    : await decideTurn(deps, caller, request, sent);
}

/** Streams a run as one message, from its first event on. */
export async function followRun(deps: ApiDeps, caller: Caller, runId: string, until: Until): Promise<Answer> {
  return await whileListening(
    deps,
    runId,
    async (subscription) => await answerOf(deps, caller, { subscription, runId, after: 0, until }),
  );
}

async function startTurn(
  deps: ApiDeps,
  caller: Caller,
  request: ChatRequest,
  sent: SaidOf<'message'>,
): Promise<Answer> {
  const { threadId, onBusy } = request;
  requirePermission(caller, 'run:start');
  if (onBusy === 'interrupt') requirePermission(caller, 'run:control');
  const wanted = {
    graph: request.graph,
    input: { ...request.input, ...(await toInput(deps, caller, request.graph, sent)) },
    threadId,
    onBusy,
    limits: {},
    startAt: null,
    breakpoints: { before: [], after: [] },
    metadata: {},
  };
  const key = request.key ?? `${threadId}/${sent.id}`;
  const { runId, begin } = await admitTurn(deps, caller, { key, wanted });
  return await whileListening(deps, runId, async (subscription) => {
    await begin();
    return await answerOf(deps, caller, { subscription, runId, after: 0, until: 'approval' });
  });
}

/**
 * Builds the run's input from a message. A canary version must take messages by the same channel as the main version.
 * @throws ApiError 404 for an unknown graph, 422 for a graph that takes no texts or no files
 */
async function toInput(
  { store }: ApiDeps,
  { tenantId, permissions }: Caller,
  graph: string,
  { id, content }: SaidOf<'message'>,
): Promise<JsonObject> {
  const { definition } = await findForRun(graph, { store, tenantId, permissions }, id);
  if (!isDefinition(definition)) throw new ApiError('UNKNOWN_GRAPH', `There is no graph "${graph}"`);
  const { input } = planChat(definition);
  if (!input) throw new ApiError('INVALID_INPUT', `The graph "${graph}" has no channel that takes a message`);
  if (input.kind === 'messages') return { [input.channel]: [{ id, role: 'user', content }] };
  if (typeof content === 'string') return { [input.channel]: content };
  throw new ApiError('INVALID_INPUT', `The graph "${graph}" takes texts without files`);
}

async function decideTurn(
  deps: ApiDeps,
  caller: Caller,
  request: ChatRequest,
  sent: SaidOf<'decisions'>,
): Promise<Answer> {
  requirePermission(caller, 'approval:decide');
  const { run, decide } = await findDecisions(deps, caller, request.threadId, sent.decisions);
  const after = sent.seen?.runId === run.id ? sent.seen.seq : run.lastSeq;
  return await whileListening(deps, run.id, async (subscription) => {
    await decide(request.record);
    return await answerOf(deps, caller, { subscription, runId: run.id, after, until: 'approval' });
  });
}

/** Runs `work` with a subscription to a run, and closes the subscription if `work` throws. */
async function whileListening(
  deps: ApiDeps,
  runId: string,
  work: (subscription: RunEar) => Promise<Answer>,
): Promise<Answer> {
  const { changes, deltas, historyParts: looks } = deps.store;
  const subscription = await listenToRun({ changes, deltas, looks }, { runId, detail: 'tokens' });
  try {
    return await work(subscription);
  } catch (error) {
    subscription.close();
    throw error;
  }
}

interface AnswerOptions {
  readonly subscription: RunEar;
  readonly runId: string;
  readonly after: number;
  readonly until: Until;
}

async function answerOf(
  deps: ApiDeps,
  caller: Caller,
  { subscription, runId, ...part }: AnswerOptions,
): Promise<Answer> {
  const run = await findRun(deps, caller, runId);
  const plan = planChat(await definitionOf(deps, run.graph.hash, runId));
  const recordedAnswers = new RecordedAnswers(run.lastSeq === 0 ? [] : await deps.store.ledger.answerTexts(runId));
  const message = { runId, plan, caller, recordedAnswers, ...part };
  return {
    chunks: (unwanted) => chunksOfRun(deps, message, subscription.hear(0, unwanted)),
    close: subscription.close,
  };
}

async function definitionOf({ store }: ApiDeps, hash: string, runId: string): Promise<GraphDefinition> {
  const definition = await store.graphs.definition(hash);
  if (isDefinition(definition)) return definition;
  throw unknownRun(runId);
}

/** A user message that a run is going to answer. */
export interface Turn {
  /** The same for all attempts of one message. */
  readonly key: string;
  readonly wanted: WantedRun;
}

/** The run that answers a message: a new run, or the run that an earlier attempt has started. */
export interface AdmittedTurn {
  readonly runId: string;
  /** Starts the run unless an earlier attempt has started it. @throws ApiError as `startRun` does */
  readonly begin: () => Promise<void>;
}

const LEASE_MS = 15_000;

/**
 * Admits a message once. If the same message is sent again, it returns the run that answers the first one.
 * @throws ApiError 409 while an earlier attempt is in progress, 422 for another message with the same id
 */
async function admitTurn(deps: ApiDeps, caller: Caller, { key, wanted }: Turn): Promise<AdmittedTurn> {
  const { store } = deps;
  const { tenantId, sub: subject } = caller;
  const request: RequestKey = { tenantId, subject, route: 'POST /api/chat', key };
  const now = Date.now();
  const id = ulid();
  const admission = await store.idempotency.admit({
    ...request,
    fingerprint: contentHash(toJson(wanted)),
    resourceId: id,
    at: new Date(now).toISOString(),
    leaseUntil: new Date(now + LEASE_MS).toISOString(),
  });
  switch (admission.kind) {
    case 'replay':
      return { runId: runIdIn(admission.answer.body), begin: async () => undefined };
    case 'reused':
      throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'A message with this id, and with another content, came before');
    case 'in-progress':
      throw new ApiError('REQUEST_IN_PROGRESS', 'This message is still being worked on', {
        headers: { 'retry-after': '1' },
      });
    case 'proceed': {
      const runId = admission.resourceId;
      const begin = async (): Promise<void> => {
        await startRun(deps, caller, { id: runId, wanted }).catch(async (error: unknown) => {
          // A message that is refused at its first attempt has started nothing, so the client may send it again after
          // correcting it.
          if (error instanceof ApiError && error.status < 500)
            await (runId === id
              ? store.idempotency.forget(request)
              : store.idempotency.lease(request, new Date().toISOString()));
          throw error;
        });
        await store.idempotency.keep(request, { status: 200, headers: {}, body: { runId } });
      };
      return { runId, begin };
    }
  }
}

function runIdIn(body: Json): string {
  const runId = isJsonObject(body) ? body['runId'] : undefined;
  if (typeof runId === 'string') return runId;
  throw new TypeError('The answer to a message names no run');
}

/** A run that is streamed as one chat message to one reader. */
export interface Message {
  readonly runId: string;
  readonly plan: ChatPlan;
  /** The reader of the stream. */
  readonly caller: Caller;
  /** The `seq` of the last event that the reader already has; 0 for none. */
  readonly after: number;
  readonly until: Until;
  readonly recordedAnswers: RecordedAnswers;
}

/** Where the message ends: also where an approval is pending, or only at the end of the run. */
export type Until = 'approval' | 'end';

/**
 * Maps the events of a run to chunks of one message, up to the end of the run or, if wanted, up to a pending approval.
 */
async function* chunksOfRun(
  { fingerprints }: Pick<ApiDeps, 'fingerprints'>,
  { runId, plan, caller, after, until, recordedAnswers }: Message,
  parts: AsyncGenerator<Heard, void>,
): AsyncGenerator<Chunk, void> {
  const message = new MessageBuilder(plan);
  const questions = new EditedQuestions();
  let seq = 0;
  const chunksOfDelta = (delta: ModelDelta, hidden: Redaction): readonly Chunk[] =>
    // Redacted text is sent once, when it is complete, because its deltas would reveal it.
    hideDelta(delta, hidden) === delta ? message.addDelta(delta) : [];
  const chunksOfEvent = (event: RunEvent, hidden: Redaction): readonly Chunk[] => {
    const recorded = event.type === 'model.called' ? recordedAnswers.about(event) : null;
    // An edited question is sent again as an event, so that its digest is fingerprinted in the same way as all others.
    const visible = [event, questions.add(event)].flatMap((one) => (one ? shownEvent(one, hidden, fingerprints) : []));
    const chunks = [
      ...(recorded ? chunksOfDelta(recorded, hidden) : []),
      ...visible.flatMap((one) => message.add(one)),
    ];
    ({ seq } = event);
    // The reader has all events up to this one, so no text that is open here may be continued.
    if (seq === after) message.endStep();
    return seq > after ? chunks : [];
  };
  yield { type: 'start', messageId: runId, messageMetadata: { runId } };
  for await (const { deltas, events, look, isUpToDate } of parts) {
    const hidden = hiddenFrom(caller, look);
    for (const delta of deltas) yield* chunksOfDelta(delta, hidden);
    for (const event of events) yield* chunksOfEvent(event, hidden);
    if (!isUpToDate) continue;
    const { status } = look;
    const end = status === 'waiting' && until === 'end' ? null : message.rest(status, runId, seq);
    if (end) return yield* end;
  }
}

/** The headers of the AI SDK's UI message stream, version 1. */
export const CHUNK_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
} as const;

const DONE = 'data: [DONE]\n\n';

/** Writes all chunks, each when the reader is ready for it. @param fail makes the last chunk after an error */
export async function writeChunks(
  body: SseBody,
  chunks: AsyncGenerator<Chunk, void>,
  fail: (error: unknown) => Chunk,
): Promise<void> {
  try {
    for await (const chunk of chunks) if (!(await body.write(toLine(chunk)))) return;
  } catch (error) {
    await body.write(toLine(fail(error)));
  }
  await body.write(DONE);
}

function toLine(chunk: Chunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
