import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import { hideDelta } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownEvent } from '../redaction/shown-approval.ts';
import type { Heard } from '../streams/listen-to-run.ts';
import type { Chunk } from './narrate/chunk.ts';
import { EditedQuestions } from './narrate/edited-questions.ts';
import { Narrator } from './narrate/narrator.ts';
import type { SaidBefore } from './narrate/said-before.ts';
import type { ChatPlan } from './narrate/plan-chat.ts';

/** A run as a message of a chat, for one reader. */
export interface Message {
  readonly runId: string;
  readonly plan: ChatPlan;
  /** Who reads it. */
  readonly caller: Caller;
  /** The last event that the reader has heard of already; 0: none. */
  readonly after: number;
  readonly until: Until;
  readonly saidBefore: SaidBefore;
}

/** Where a message ends besides the end of its run: where people have to decide, or nowhere. */
export type Until = 'approval' | 'end';

/** Tells what is heard of a run as chunks of one message, up to its end, or to where people have to decide. */
export async function* chunksOfRun(
  { seals }: Pick<ApiDeps, 'seals'>,
  { runId, plan, caller, after, until, saidBefore }: Message,
  heard: AsyncGenerator<Heard, void>,
): AsyncGenerator<Chunk, void> {
  const narrator = new Narrator(plan);
  const questions = new EditedQuestions();
  let seq = 0;
  const tellDelta = (delta: ModelDelta, hidden: Redaction): readonly Chunk[] =>
    // A text that is hidden is shown so once, when it is complete.
    hideDelta(delta, hidden) === delta ? narrator.hearDelta(delta) : [];
  const tell = (event: RunEvent, hidden: Redaction): readonly Chunk[] => {
    const said = event.type === 'model.called' ? saidBefore.about(event) : null;
    // A question that was edited is asked again as an event, so that its digest is sealed as those of all others.
    const heard = [event, questions.hear(event)].flatMap((one) => (one ? shownEvent(one, hidden, seals) : []));
    const chunks = [...(said ? tellDelta(said, hidden) : []), ...heard.flatMap((one) => narrator.hear(one))];
    ({ seq } = event);
    // What the reader has heard is over: it has no text that could go on.
    if (seq === after) narrator.endStep();
    return seq > after ? chunks : [];
  };
  yield { type: 'start', messageId: runId, messageMetadata: { runId } };
  for await (const { deltas, events, look, isUpToDate } of heard) {
    const hidden = hiddenFrom(caller, look);
    for (const delta of deltas) yield* tellDelta(delta, hidden);
    for (const event of events) yield* tell(event, hidden);
    if (!isUpToDate) continue;
    const { status } = look;
    const end = status === 'waiting' && until === 'end' ? null : narrator.rest(status, { runId, seq });
    if (end) return yield* end;
  }
}
