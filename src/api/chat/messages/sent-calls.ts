import type { RunEvent } from '../../../graph/journal/index.ts';
import { keyOfTask } from './plan-chat.ts';
import type { UiChunk, ChatPlan, TaskOfEvent } from './plan-chat.ts';
import { ApprovalQuestions } from './questions.ts';
import type { QuestionContent, DecidedQuestion, EventOf } from './questions.ts';

/** A tool call as the client has it. */
interface SentCall {
  /** The idempotency key of the call, or the id of the approval that preceded it. */
  readonly toolCallId: string;
  readonly task: string;
  readonly tool: string;
}

/**
 * Tracks which tool calls and approval questions the client of a stream has received. A question is sent as a call of
 * its own, with the id of its approval.
 */
export class SentCalls {
  readonly #questions: ApprovalQuestions;
  /** Calls that have begun, by their idempotency keys. */
  readonly #made = new Map<string, SentCall>();

  constructor(plan: Pick<ChatPlan, 'singleCallNodes'>) {
    this.#questions = new ApprovalQuestions(plan.singleCallNodes);
  }

  get waitsForPeople(): boolean {
    return this.#questions.pending.length > 0;
  }

  /** Returns the id by which the client knows a call. */
  idOf(idempotencyKey: string): string {
    return this.#made.get(idempotencyKey)?.toolCallId ?? idempotencyKey;
  }

  /** @returns `null` for an event that concerns no call */
  add(event: RunEvent): readonly UiChunk[] | null {
    switch (event.type) {
      case 'tool.requested':
        return this.#request(event);
      case 'tool.called':
        return toOutputChunk(this.#made.get(event.idempotencyKey), event);
      case 'tool.skipped':
        return toOutputChunk(this.#madeBy(event, event.tool), event);
      case 'approval.requested':
        return this.#ask(event);
      case 'approval.decided':
      case 'approval.expired':
        return this.#decide(event);
      case 'model.called':
        this.#questions.addModelCall(event);
        return null;
      default:
        return null;
    }
  }

  /**
   * Sends all pending questions again: after it has sent one decision, a client treats its message as answered and may
   * hide the others.
   */
  sendQuestionsAgain(): readonly UiChunk[] {
    return this.#questions.pending.flatMap(toQuestionChunk);
  }

  #request(event: EventOf<'tool.requested'>): readonly UiChunk[] {
    const { tool, args, idempotencyKey } = event;
    const before = this.#made.get(idempotencyKey)?.toolCallId ?? this.#questions.takeApproved(event);
    const toolCallId = before ?? idempotencyKey;
    this.#made.set(idempotencyKey, { toolCallId, task: keyOfTask(event), tool });
    return [{ type: 'tool-input-available', toolCallId, toolName: tool, input: args, dynamic: true }];
  }

  #madeBy(task: TaskOfEvent, tool: string): SentCall | undefined {
    const key = keyOfTask(task);
    return [...this.#made.values()].findLast((sent) => sent.task === key && sent.tool === tool);
  }

  #ask(event: EventOf<'approval.requested'>): readonly UiChunk[] {
    this.#questions.ask(event);
    return toQuestionChunk(event.approval);
  }

  /**
   * Sends the arguments that were decided. If they were edited and the approval is still pending, the question is sent
   * again.
   */
  #decide(event: DecidedQuestion): readonly UiChunk[] {
    const { becomes = 'waiting', edited = null } = this.#questions.decide(event) ?? {};
    if (becomes === 'waiting') return [];
    return [...(edited ? [toCallChunk(edited)] : []), ...(becomes === 'answer' ? [toAnswerChunk(event)] : [])];
  }
}

/** Ends the call of a question that is not followed by a tool call. */
function toAnswerChunk({ approvalId: toolCallId, status }: DecidedQuestion): UiChunk {
  if (status === 'rejected') return { type: 'tool-output-denied', toolCallId };
  if (status !== 'approved')
    return { type: 'tool-output-error', toolCallId, errorText: `The approval is ${status}`, dynamic: true };
  return { type: 'tool-output-available', toolCallId, output: { approved: true }, dynamic: true };
}

/** @param sent the call as the client has it; `undefined` when it has no such call */
function toOutputChunk(
  sent: SentCall | undefined,
  { result = null, error }: Pick<EventOf<'tool.called'>, 'result' | 'error'>,
): readonly UiChunk[] {
  if (!sent) return [];
  const { toolCallId } = sent;
  if (error) return [{ type: 'tool-output-error', toolCallId, errorText: error.message, dynamic: true }];
  return [{ type: 'tool-output-available', toolCallId, output: result, dynamic: true }];
}

/** The tool name of the call that represents an approval without a tool. */
const APPROVAL = 'approval';

/** Sends a question and requests a decision. */
function toQuestionChunk(asked: QuestionContent): readonly UiChunk[] {
  const { id } = asked;
  return [toCallChunk(asked), { type: 'tool-approval-request', approvalId: id, toolCallId: id }];
}

/** Maps a question to a call with the id of its approval and the digest of its content. */
function toCallChunk({ id, title, details, args, tool, digest }: QuestionContent): UiChunk {
  return {
    type: 'tool-input-available',
    toolCallId: id,
    toolName: tool ?? APPROVAL,
    input: tool === undefined ? { title, details, args } : args,
    dynamic: true,
    ...(typeof title === 'string' && { title }),
    providerMetadata: { holdfast: { digest } },
  };
}
