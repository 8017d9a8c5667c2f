import { isDefinition } from '../../graph/definition/index.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { findForRun } from '../graphs/find-for-run.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import { requirePermission } from '../middleware/authorized.ts';
import { findRun, unknownRun } from '../runs/find-run.ts';
import type { WantedRun } from '../runs/start-run.ts';
import { listenToRun } from '../streams/listen-to-run.ts';
import type { RunEar } from '../streams/listen-to-run.ts';
import { admitTurn } from './admit-turn.ts';
import { chunksOfRun } from './chunks-of-run.ts';
import type { Until } from './chunks-of-run.ts';
import { findDecisions } from './decide-in-chat.ts';
import type { Chunk } from './narrate/chunk.ts';
import { planChat } from './narrate/plan-chat.ts';
import { SaidBefore } from './narrate/said-before.ts';
import { readMessage } from './read-message.ts';
import type { Said, UiMessage } from './read-message.ts';

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

/** An answer, which is heard from its run. */
export interface Answer {
  /** Its chunks. They end early by a signal. */
  readonly chunks: (unwanted: readonly AbortSignal[]) => AsyncGenerator<Chunk, void>;
  /** Stops hearing the run, also if the chunks were never read. */
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
    ? await startTurn(deps, caller, { request, said })
    : await decideTurn(deps, caller, { request, said });
}

/** Tells a run from its beginning. */
export async function followRun(
  deps: ApiDeps,
  caller: Caller,
  { runId, until }: { readonly runId: string; readonly until: Until },
): Promise<Answer> {
  return await whileListening(
    deps,
    runId,
    async (ear) => await answerOf(deps, caller, { ear, runId, after: 0, until }),
  );
}

async function startTurn(
  deps: ApiDeps,
  caller: Caller,
  { request, said }: { readonly request: ChatRequest; readonly said: SaidOf<'message'> },
): Promise<Answer> {
  const { threadId, onBusy } = request;
  requirePermission(caller, 'run:start');
  if (onBusy === 'interrupt') requirePermission(caller, 'run:control');
  const wanted = {
    graph: request.graph,
    input: { ...request.input, ...(await toInput(deps, caller, { graph: request.graph, said })) },
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
  { graph, said: { id, content } }: { readonly graph: string; readonly said: SaidOf<'message'> },
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
  { request, said }: { readonly request: ChatRequest; readonly said: SaidOf<'decisions'> },
): Promise<Answer> {
  requirePermission(caller, 'approval:decide');
  const { run, decide } = await findDecisions(deps, caller, { threadId: request.threadId, said: said.decisions });
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

interface ToTell {
  readonly ear: RunEar;
  readonly runId: string;
  readonly after: number;
  readonly until: Until;
}

async function answerOf(deps: ApiDeps, caller: Caller, { ear, runId, ...part }: ToTell): Promise<Answer> {
  const run = await findRun(deps, caller, runId);
  const plan = planChat(await definitionOf(deps, run.graph.hash, runId));
  const saidBefore = new SaidBefore(run.lastSeq === 0 ? [] : await deps.store.ledger.saidTexts(runId));
  const message = { runId, plan, caller, saidBefore, ...part };
  return { chunks: (unwanted) => chunksOfRun(deps, message, ear.hear(0, unwanted)), close: ear.close };
}

async function definitionOf({ store }: ApiDeps, hash: string, runId: string): Promise<GraphDefinition> {
  const definition = await store.graphs.definition(hash);
  if (isDefinition(definition)) return definition;
  throw unknownRun(runId);
}
