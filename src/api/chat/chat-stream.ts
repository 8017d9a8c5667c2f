import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import { hideDelta, hidesProgress } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom, redactEvent } from '../redaction.ts';
import { EVENT_STREAM_HEADERS } from '../streams/answer-stream.ts';
import type { SseBody } from '../streams/sse-body.ts';
import type { RunUpdate } from '../streams/subscribe-to-run.ts';
import { EditedQuestions } from './messages/questions.ts';
import { MessageBuilder } from './messages/message-builder.ts';
import type { UiChunk, ChatPlan } from './messages/plan-chat.ts';

/** A completed model call with the text of its answer. */
interface RecordedAnswer {
  readonly key: string;
  readonly text: string;
}

type ModelCalled = Extract<RunEvent, { readonly type: 'model.called' }>;

/** Collects the recorded answers of models in the root graph, for readers who subscribe after they were streamed. */
export class RecordedAnswers {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: readonly RecordedAnswer[]) {
    this.#texts = new Map(texts.map(({ key, text }) => [key, text]));
  }

  /** @returns the answer that the event reports; `null` when it is not known or has no text */
  deltaOf({ node, visit, path, idempotencyKey: callKey }: ModelCalled): ModelDelta | null {
    const text = this.#texts.get(callKey) ?? '';
    if (path !== undefined || text === '') return null;
    return { node, visit, attempt: LAST_ATTEMPT, callKey, index: 0, text };
  }
}

/** A recorded answer replaces the deltas of all attempts. */
const LAST_ATTEMPT = Number.MAX_SAFE_INTEGER;

/** A run that is streamed as one chat message to one reader. */
export interface StreamedMessage {
  readonly runId: string;
  readonly plan: ChatPlan;
  /** The reader of the stream. */
  readonly caller: Caller;
  /** The `seq` of the last event that the reader already has; 0 for none. */
  readonly after: number;
  readonly until: StreamEnd;
  readonly recordedAnswers: RecordedAnswers;
}

/** Where the message ends: also where an approval is pending, or only at the end of the run. */
export type StreamEnd = 'approval' | 'end';

/**
 * Maps the events of a run to chunks of one message, up to the end of the run or, if wanted, up to a pending approval.
 */
export async function* chunksOfRun(
  { fingerprints }: Pick<ApiDeps, 'fingerprints'>,
  { runId, plan, caller, after, until, recordedAnswers }: StreamedMessage,
  updates: AsyncGenerator<RunUpdate, void>,
): AsyncGenerator<UiChunk, void> {
  const message = new MessageBuilder(plan);
  const questions = new EditedQuestions();
  let seq = 0;
  const chunksOfDelta = (delta: ModelDelta, hidden: Redaction): readonly UiChunk[] =>
    // Redacted text is sent once, when it is complete, because its deltas would reveal it.
    hideDelta(delta, hidden) === delta ? message.addDelta(delta) : [];
  const chunksOfEvent = (event: RunEvent, hidden: Redaction): readonly UiChunk[] => {
    const recorded = event.type === 'model.called' ? recordedAnswers.deltaOf(event) : null;
    // An edited question is sent again as an event, so that its digest is fingerprinted in the same way as all others.
    const visible = [event, questions.add(event)].flatMap((one) => (one ? redactEvent(one, hidden, fingerprints) : []));
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
  for await (const { deltas, progress, events, run, isUpToDate } of updates) {
    const hidden = hiddenFrom(caller, run);
    for (const delta of deltas) yield* chunksOfDelta(delta, hidden);
    for (const event of events) yield* chunksOfEvent(event, hidden);
    for (const one of progress) if (!hidesProgress(one, hidden)) yield* message.addProgress(one);
    if (!isUpToDate) continue;
    const { status } = run;
    const end = status === 'waiting' && until === 'end' ? null : message.rest(status, runId, seq);
    if (end) return yield* end;
  }
}

/** The headers of the AI SDK's UI message stream, version 1. */
export const CHUNK_HEADERS = { ...EVENT_STREAM_HEADERS, 'x-vercel-ai-ui-message-stream': 'v1' } as const;

const DONE = 'data: [DONE]\n\n';

/** Writes all chunks, each when the reader is ready for it. @param fail makes the last chunk after an error */
export async function writeChunks(
  body: SseBody,
  chunks: AsyncGenerator<UiChunk, void>,
  fail: (error: unknown) => UiChunk,
): Promise<void> {
  try {
    for await (const chunk of chunks) if (!(await body.write(toChunkFrame(chunk)))) return;
  } catch (error) {
    await body.write(toChunkFrame(fail(error)));
  }
  await body.write(DONE);
}

function toChunkFrame(chunk: UiChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
