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

/** What a client of a chat sends. */
export interface ChatRequest {
  /** `name` or `name@version`. */
  readonly graph: string;
  readonly threadId: string;
  readonly messages: readonly UiMessage[];
  /** Values of channels besides the one that takes what the user says. */
  readonly input: JsonObject;
  readonly onBusy: WantedRun['onBusy'];
  /** Names the request in place of the message's id; `null`: nothing does. */
  readonly key: string | null;
  readonly record: RecordAct;
}

/** An answer, which follows its run. */
export interface Answer {
  /** Its chunks. They end early by a signal. */
  readonly chunks: (unwanted: readonly AbortSignal[]) => AsyncGenerator<Chunk, void>;
  /** Ends the subscription to the run, also if the chunks were never read. */
  readonly close: () => void;
}

type SaidOf<Kind extends Said['kind']> = Extract<Said, { readonly kind: Kind }>;

/**
 * Answers the last message of a chat: a run of the graph answers a text, and goes on after decisions.
 * @throws ApiError when the run is not started, or a decision is refused
 */
export async function answerChat(deps: ApiDeps, caller: Caller, request: ChatRequest): Promise<Answer> {
  const { messages } = request;
  const said = readMessage(messages, messages.length - 1);
  return said.kind === 'message'
    ? await startTurn(deps, caller, request, said)
    : await decideTurn(deps, caller, request, said);
}

/** Follows a run from its first event. */
export async function followRun(deps: ApiDeps, caller: Caller, runId: string, until: Until): Promise<Answer> {
  return await whileListening(
    deps,
    runId,
    async (ear) => await answerOf(deps, caller, { ear, runId, after: 0, until }),
  );
}

async function startTurn(
  deps: ApiDeps,
  caller: Caller,
  request: ChatRequest,
  said: SaidOf<'message'>,
): Promise<Answer> {
  const { threadId, onBusy } = request;
  requirePermission(caller, 'run:start');
  if (onBusy === 'interrupt') requirePermission(caller, 'run:control');
  const wanted = {
    graph: request.graph,
    input: { ...request.input, ...(await toInput(deps, caller, request.graph, said)) },
    threadId,
    onBusy,
    limits: {},
    startAt: null,
    breakpoints: { before: [], after: [] },
    metadata: {},
  };
  const key = request.key ?? `${threadId}/${said.id}`;
  const { runId, begin } = await admitTurn(deps, caller, { key, wanted });
  return await whileListening(deps, runId, async (ear) => {
    await begin();
    return await answerOf(deps, caller, { ear, runId, after: 0, until: 'approval' });
  });
}

/**
 * Makes the input of a message. A canary is expected to take messages by the same channel.
 * @throws ApiError 404 for an unknown graph, 422 for one that takes no texts, or no files
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
  said: SaidOf<'decisions'>,
): Promise<Answer> {
  requirePermission(caller, 'approval:decide');
  const { run, decide } = await findDecisions(deps, caller, request.threadId, said.decisions);
  const after = said.seen?.runId === run.id ? said.seen.seq : run.lastSeq;
  return await whileListening(deps, run.id, async (ear) => {
    await decide(request.record);
    return await answerOf(deps, caller, { ear, runId: run.id, after, until: 'approval' });
  });
}

/** Does something with an ear for a run, which is closed if that fails. */
async function whileListening(deps: ApiDeps, runId: string, work: (ear: RunEar) => Promise<Answer>): Promise<Answer> {
  const { changes, deltas, runLooks: looks } = deps.store;
  const ear = await listenToRun({ changes, deltas, looks }, { runId, detail: 'tokens' });
  try {
    return await work(ear);
  } catch (error) {
    ear.close();
    throw error;
  }
}

interface AnswerOptions {
  readonly ear: RunEar;
  readonly runId: string;
  readonly after: number;
  readonly until: Until;
}

async function answerOf(deps: ApiDeps, caller: Caller, { ear, runId, ...part }: AnswerOptions): Promise<Answer> {
  const run = await findRun(deps, caller, runId);
  const plan = planChat(await definitionOf(deps, run.graph.hash, runId));
  const recordedAnswers = new RecordedAnswers(run.lastSeq === 0 ? [] : await deps.store.ledger.saidTexts(runId));
  const message = { runId, plan, caller, recordedAnswers, ...part };
  return { chunks: (unwanted) => chunksOfRun(deps, message, ear.hear(0, unwanted)), close: ear.close };
}

async function definitionOf({ store }: ApiDeps, hash: string, runId: string): Promise<GraphDefinition> {
  const definition = await store.graphs.definition(hash);
  if (isDefinition(definition)) return definition;
  throw unknownRun(runId);
}

/** A message of a user that a run is to answer. */
export interface Turn {
  /** Equal for all tries of one message. */
  readonly key: string;
  readonly wanted: WantedRun;
}

/** The run that answers a message: a new one, or the one that an earlier try has started. */
export interface AdmittedTurn {
  readonly runId: string;
  /** Starts the run, if no earlier try has. @throws ApiError as `startRun` */
  readonly begin: () => Promise<void>;
}

const LEASE_MS = 15_000;

/**
 * Admits a message once: the same message again finds the run that answers it.
 * @throws ApiError 409 while an earlier try is at work; 422 for another message with the same id
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
          // What is refused at its first try has started nothing, and may be sent again once the reason is gone.
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

/** A run as a message of a chat, for one reader. */
export interface Message {
  readonly runId: string;
  readonly plan: ChatPlan;
  /** Who reads it. */
  readonly caller: Caller;
  /** The last event that the reader has already; 0: none. */
  readonly after: number;
  readonly until: Until;
  readonly recordedAnswers: RecordedAnswers;
}

/** Where a message ends besides the end of its run: where people have to decide, or nowhere. */
export type Until = 'approval' | 'end';

/** Makes the events of a run chunks of one message, up to its end, or to where people have to decide. */
async function* chunksOfRun(
  { fingerprints }: Pick<ApiDeps, 'fingerprints'>,
  { runId, plan, caller, after, until, recordedAnswers }: Message,
  heard: AsyncGenerator<Heard, void>,
): AsyncGenerator<Chunk, void> {
  const message = new MessageBuilder(plan);
  const questions = new EditedQuestions();
  let seq = 0;
  const chunksOfDelta = (delta: ModelDelta, hidden: Redaction): readonly Chunk[] =>
    // A hidden text is sent redacted once, when it is complete.
    hideDelta(delta, hidden) === delta ? message.addDelta(delta) : [];
  const chunksOfEvent = (event: RunEvent, hidden: Redaction): readonly Chunk[] => {
    const said = event.type === 'model.called' ? recordedAnswers.about(event) : null;
    // A question that was edited is asked again as an event, so that its digest is sealed as those of all others.
    const visible = [event, questions.add(event)].flatMap((one) => (one ? shownEvent(one, hidden, fingerprints) : []));
    const chunks = [...(said ? chunksOfDelta(said, hidden) : []), ...visible.flatMap((one) => message.add(one))];
    ({ seq } = event);
    // The reader has all up to here: no text of it goes on.
    if (seq === after) message.endStep();
    return seq > after ? chunks : [];
  };
  yield { type: 'start', messageId: runId, messageMetadata: { runId } };
  for await (const { deltas, events, look, isUpToDate } of heard) {
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

/** Writes chunks to their end, each when its reader has space for it. @param fail makes the last chunk after an error */
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
