import type { RunEvent } from '../../../graph/journal/index.ts';
import { keyOfTask } from './plan-chat.ts';
import type { Chunk, ChatPlan, TaskOfEvent } from './plan-chat.ts';
import { digestOf } from '../../../graph/run/index.ts';
import type { PublicApproval } from '../../../graph/run/index.ts';
import { deepEqual, isJsonList, isJsonObject } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import { REDACTED } from '../../../graph/redaction/index.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;
type Decided = EventOf<'approval.decided'> | EventOf<'approval.expired'>;

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
  readonly #questions: Questions;
  /** Calls that have begun, by their idempotency keys. */
  readonly #made = new Map<string, SentCall>();

  constructor(plan: Pick<ChatPlan, 'callers'>) {
    this.#questions = new Questions(plan.callers);
  }

  get waitsForPeople(): boolean {
    return this.#questions.pending.length > 0;
  }

  /** @returns `null` for an event that concerns no call */
  add(event: RunEvent): readonly Chunk[] | null {
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

  #madeBy(task: TaskOfEvent, tool: string): SentCall | undefined {
    const key = keyOfTask(task);
    return [...this.#made.values()].findLast((sent) => sent.task === key && sent.tool === tool);
  }

  #ask(event: EventOf<'approval.requested'>): readonly Chunk[] {
    this.#questions.ask(event);
    return toQuestion(event.approval);
  }

  /**
   * Sends the arguments that were decided. If they were edited and the approval is still pending, the question is sent
   * again.
   */
  #decide(event: Decided): readonly Chunk[] {
    const { becomes = 'waiting', edited = null } = this.#questions.decide(event) ?? {};
    if (becomes === 'waiting') return [];
    return [...(edited ? [toCall(edited)] : []), ...(becomes === 'answer' ? [toAnswer(event)] : [])];
  }
}

/** Ends the call of a question that is not followed by a tool call. */
function toAnswer({ approvalId: toolCallId, status }: Decided): Chunk {
  if (status === 'rejected') return { type: 'tool-output-denied', toolCallId };
  if (status !== 'approved')
    return { type: 'tool-output-error', toolCallId, errorText: `The approval is ${status}`, dynamic: true };
  return { type: 'tool-output-available', toolCallId, output: { approved: true }, dynamic: true };
}

/** @param sent the call as the client has it; `undefined` when it has no such call */
function toOutput(
  sent: SentCall | undefined,
  { result = null, error }: Pick<EventOf<'tool.called'>, 'result' | 'error'>,
): readonly Chunk[] {
  if (!sent) return [];
  const { toolCallId } = sent;
  if (error) return [{ type: 'tool-output-error', toolCallId, errorText: error.message, dynamic: true }];
  return [{ type: 'tool-output-available', toolCallId, output: result, dynamic: true }];
}

type Asking = Extract<RunEvent, { readonly type: 'approval.requested' }>;

/**
 * Tracks questions that need several approvals, because each approver may edit the arguments that the others have to
 * approve.
 */
export class EditedQuestions {
  /** The latest version of each question, by approval id. */
  readonly #asked = new Map<string, Asking>();

  /**
   * @param event not redacted, because the digest covers all values
   * @returns the question after an edit; `null` when the event edits no pending question
   */
  add(event: RunEvent): Asking | null {
    if (event.type === 'approval.requested') this.#asked.set(event.approval.id, event);
    if (event.type !== 'approval.decided' || event.status !== 'pending') return null;
    const { approvalId, args, seq, at } = event;
    const asked = this.#asked.get(approvalId);
    if (!asked || deepEqual(asked.approval.args, args)) return null;
    const edited = { ...asked.approval, args };
    const anew = { ...asked, seq, at, approval: { ...edited, digest: digestOf(edited) } };
    this.#asked.set(approvalId, anew);
    return anew;
  }
}

/** The fields of an approval that are presented to a person. */
export type Asked = Pick<PublicApproval, 'id' | 'title' | 'details' | 'args' | 'tool' | 'digest'>;

/** The tool name of the call that represents an approval without a tool. */
const APPROVAL = 'approval';

/** Sends a question and requests a decision. */
function toQuestion(asked: Asked): readonly Chunk[] {
  const { id } = asked;
  return [toCall(asked), { type: 'tool-approval-request', approvalId: id, toolCallId: id }];
}

/** Maps a question to a call with the id of its approval and the digest of its content. */
function toCall({ id, title, details, args, tool, digest }: Asked): Chunk {
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

interface Question {
  readonly task: string;
  readonly node: string;
  /**
   * True for a task in a subgraph: its other runs, for other elements or visits, have events with equal task fields.
   */
  readonly isInside: boolean;
  /** The question with the edits made so far. */
  readonly asked: Asked;
  readonly isApproved: boolean;
}

/** The effect of a decision on a question. */
interface Decision {
  readonly becomes: 'call' | 'answer' | 'waiting';
  /** The question with edited arguments; `null` when they are unchanged. */
  readonly edited: Asked | null;
}

/**
 * Tracks questions that are pending, or approved with their call not begun. The event of a call that begins has no
 * approval id, and other calls may begin first, so it is matched by task, tool and approved arguments.
 */
export class Questions {
  /**
   * Open questions by approval id, in the order in which they were asked. The calls of one message begin in the same
   * order.
   */
  readonly #open = new Map<string, Question>();
  /** The number of tool calls in the latest model answer, by task. */
  readonly #batchSizes = new Map<string, number>();
  readonly #callers: ReadonlySet<string>;

  /** @param callers nodes of the root graph that make one call of their own */
  constructor(callers: ReadonlySet<string>) {
    this.#callers = callers;
  }

  get pending(): readonly Asked[] {
    return [...this.#open.values()].flatMap(({ asked, isApproved }) => (isApproved ? [] : [asked]));
  }

  /**
   * Records how many calls a model requests. A model is called again only after all earlier calls are answered, so none
   * of these can begin any more.
   */
  addModelCall(event: EventOf<'model.called'>): void {
    if (event.path !== undefined) return;
    const task = keyOfTask(event);
    this.#batchSizes.set(task, event.toolCalls ?? 0);
    for (const [id, question] of this.#open) if (question.isApproved && question.task === task) this.#open.delete(id);
  }

  ask(event: EventOf<'approval.requested'>): void {
    const { approval: asked } = event;
    const place = { task: keyOfTask(event), node: event.node, isInside: event.path !== undefined };
    this.#open.set(asked.id, { ...place, asked, isApproved: false });
  }

  /** @returns `null` for an unknown question */
  decide(event: Decided): Decision | null {
    const { approvalId: id, status } = event;
    const question = this.#open.get(id);
    if (!question) return null;
    const { args = question.asked.args } = event;
    const decided = { ...question, asked: { ...question.asked, args }, isApproved: status === 'approved' };
    const becomes = this.#becomes(decided, status);
    if (becomes === 'answer') this.#open.delete(id);
    else this.#open.set(id, decided);
    return { becomes, edited: deepEqual(args, question.asked.args) ? null : decided.asked };
  }

  /**
   * Matches a call that begins to its approval, and removes the question.
   * @returns the approval id; `undefined` when the call needed no approval
   */
  takeApproved(call: EventOf<'tool.requested'>): string | undefined {
    const task = keyOfTask(call);
    const [id] =
      [...this.#open].find(
        ([, { isApproved, task: ofTask, asked }]) =>
          isApproved && ofTask === task && asked.tool === call.tool && deepEqual(asked.args, call.args),
      ) ?? [];
    if (id !== undefined) this.#open.delete(id);
    return id;
  }

  #becomes(decided: Question, status: string): Decision['becomes'] {
    if (status === 'pending') return 'waiting';
    return decided.isApproved && this.#canBeFound(decided) ? 'call' : 'answer';
  }

  /** Returns true if only one call can match the approval. Redacted arguments may look equal although they differ. */
  #canBeFound({ task, node, isInside, asked: { tool, args } }: Question): boolean {
    if (tool === undefined) return false;
    const isOnlyCall = !isInside && (this.#callers.has(node) || this.#batchSizes.get(task) === 1);
    return isOnlyCall || !hidesPart(args);
  }
}

function hidesPart(value: Json): boolean {
  if (isJsonList(value)) return value.some(hidesPart);
  if (isJsonObject(value)) return Object.values(value).some(hidesPart);
  return value === REDACTED;
}
