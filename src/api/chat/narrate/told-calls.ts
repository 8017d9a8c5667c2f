import type { RunEvent } from '../../../graph/journal/index.ts';
import type { Chunk } from './chunk.ts';
import type { ChatPlan } from './plan-chat.ts';
import { toQuestion, toShown } from './question-chunks.ts';
import { Questions } from './questions.ts';
import { keyOfTask } from './task.ts';
import type { TaskOfEvent } from './task.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;
type Decided = EventOf<'approval.decided'> | EventOf<'approval.expired'>;

/** A call on the client's side. */
interface Told {
  /** The idempotency key of the call, or the id of the approval that it became. */
  readonly toolCallId: string;
  readonly task: string;
  readonly tool: string;
}

/**
 * Calls of tools and questions to people, as the client of a stream has seen them. A question has a call of its own, with
 * the id of its approval.
 */
export class ToldCalls {
  readonly #questions: Questions;
  /** Calls that are made, by their idempotency keys. */
  readonly #made = new Map<string, Told>();

  constructor(plan: Pick<ChatPlan, 'callers'>) {
    this.#questions = new Questions(plan.callers);
  }

  get waitsForPeople(): boolean {
    return this.#questions.pending.length > 0;
  }

  /** @returns `null` for an event of another kind */
  hear(event: RunEvent): readonly Chunk[] | null {
    switch (event.type) {
      case 'tool.requested':
        return this.#request(event);
      case 'tool.called':
        return toOutput(this.#made.get(event.idempotencyKey), event);
      case 'tool.skipped':
        return toOutput(this.#madeBy(event, event.tool), event);
      case 'approval.requested':
        return this.#ask(event);
      case 'approval.decided':
      case 'approval.expired':
        return this.#decide(event);
      case 'model.called':
        this.#questions.hearModel(event);
        return null;
      default:
        return null;
    }
  }

  /** Asks again for all that waits for a decision: a client that has sent one takes it for done, and may show less. */
  askAgain(): readonly Chunk[] {
    return this.#questions.pending.flatMap(toQuestion);
  }

  #request(event: EventOf<'tool.requested'>): readonly Chunk[] {
    const { tool, args, idempotencyKey } = event;
    const before = this.#made.get(idempotencyKey)?.toolCallId ?? this.#questions.takeApproved(event);
    const toolCallId = before ?? idempotencyKey;
    this.#made.set(idempotencyKey, { toolCallId, task: keyOfTask(event), tool });
    return [{ type: 'tool-input-available', toolCallId, toolName: tool, input: args, dynamic: true }];
  }

  #madeBy(task: TaskOfEvent, tool: string): Told | undefined {
    const key = keyOfTask(task);
    return [...this.#made.values()].findLast((told) => told.task === key && told.tool === tool);
  }

  #ask(event: EventOf<'approval.requested'>): readonly Chunk[] {
    this.#questions.ask(event);
    return toQuestion(event.approval);
  }

  /** Shows with which arguments a question is decided. One that waits on is asked anew where they are edited. */
  #decide(event: Decided): readonly Chunk[] {
    const { becomes = 'waiting', edited = null } = this.#questions.decide(event) ?? {};
    if (becomes === 'waiting') return [];
    return [...(edited ? [toShown(edited)] : []), ...(becomes === 'answer' ? [toAnswer(event)] : [])];
  }
}

/** The end of a question that becomes no call. */
function toAnswer({ approvalId: toolCallId, status }: Decided): Chunk {
  if (status === 'rejected') return { type: 'tool-output-denied', toolCallId };
  if (status !== 'approved')
    return { type: 'tool-output-error', toolCallId, errorText: `The approval is ${status}`, dynamic: true };
  return { type: 'tool-output-available', toolCallId, output: { approved: true }, dynamic: true };
}

/** @param told `undefined`: the client has no such call */
function toOutput(
  told: Told | undefined,
  { result = null, error }: Pick<EventOf<'tool.called'>, 'result' | 'error'>,
): readonly Chunk[] {
  if (!told) return [];
  const { toolCallId } = told;
  if (error) return [{ type: 'tool-output-error', toolCallId, errorText: error.message, dynamic: true }];
  return [{ type: 'tool-output-available', toolCallId, output: result, dynamic: true }];
}
