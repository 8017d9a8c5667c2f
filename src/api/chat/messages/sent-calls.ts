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

/** A call on the client's side. */
interface SentCall {
  /** The idempotency key of the call, or the id of the approval that it became. */
  readonly toolCallId: string;
  readonly task: string;
  readonly tool: string;
}

/**
 * Calls of tools and questions to people, as the client of a stream has seen them. A question has a call of its own, with
 * the id of its approval.
 */
export class SentCalls {
  readonly #questions: Questions;
  /** Calls that are made, by their idempotency keys. */
  readonly #made = new Map<string, SentCall>();

  constructor(plan: Pick<ChatPlan, 'callers'>) {
    this.#questions = new Questions(plan.callers);
  }

  get waitsForPeople(): boolean {
    return this.#questions.pending.length > 0;
  }

  /** @returns `null` for an event of another kind */
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

  #madeBy(task: TaskOfEvent, tool: string): SentCall | undefined {
    const key = keyOfTask(task);
    return [...this.#made.values()].findLast((sent) => sent.task === key && sent.tool === tool);
  }

  #ask(event: EventOf<'approval.requested'>): readonly Chunk[] {
    this.#questions.ask(event);
    return toQuestion(event.approval);
  }

  /** Shows with which arguments a question is decided. One that waits on is asked anew where they are edited. */
  #decide(event: Decided): readonly Chunk[] {
    const { becomes = 'waiting', edited = null } = this.#questions.decide(event) ?? {};
    if (becomes === 'waiting') return [];
    return [...(edited ? [toCall(edited)] : []), ...(becomes === 'answer' ? [toAnswer(event)] : [])];
  }
}

/** The end of a question that becomes no call. */
function toAnswer({ approvalId: toolCallId, status }: Decided): Chunk {
  if (status === 'rejected') return { type: 'tool-output-denied', toolCallId };
  if (status !== 'approved')
    return { type: 'tool-output-error', toolCallId, errorText: `The approval is ${status}`, dynamic: true };
  return { type: 'tool-output-available', toolCallId, output: { approved: true }, dynamic: true };
}

/** @param sent `undefined`: the client has no such call */
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

/** Questions to several people, of whom each may edit what the others have to approve then. */
export class EditedQuestions {
  /** How each question was asked last, by the ids of their approvals. */
  readonly #asked = new Map<string, Asking>();

  /**
   * @param event with all its values, as the digest is one of these
   * @returns the question as it is asked from now on; `null`: the event changes none that waits
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

/** What a question shows to a person. */
export type Asked = Pick<PublicApproval, 'id' | 'title' | 'details' | 'args' | 'tool' | 'digest'>;

/** The name of the call that stands for an approval of no tool. */
const APPROVAL = 'approval';

/** Asks a person: shows the question, and wants a decision. */
function toQuestion(asked: Asked): readonly Chunk[] {
  const { id } = asked;
  return [toCall(asked), { type: 'tool-approval-request', approvalId: id, toolCallId: id }];
}

/** Shows a question as a call with the id of its approval, and a digest of its content. */
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
  /** True in a graph inside: runs of it in other elements or visits have events of equal tasks. */
  readonly isInside: boolean;
  /** With the edits made so far. */
  readonly asked: Asked;
  readonly isApproved: boolean;
}

/** What a decision makes of a question. */
interface Decision {
  readonly becomes: 'call' | 'answer' | 'waiting';
  /** The question, if its arguments are edited. */
  readonly edited: Asked | null;
}

/**
 * Questions to people that wait for a decision, or whose calls are approved and not made yet. A call that begins has no
 * id of its approval, and others may begin before it: it is found by its task, tool and approved arguments.
 */
export class Questions {
  /** By the ids of their approvals, in the order of asking: calls of one message begin in this order, too. */
  readonly #open = new Map<string, Question>();
  /** How many calls the models of tasks have asked for last. */
  readonly #batchSizes = new Map<string, number>();
  readonly #callers: ReadonlySet<string>;

  /** @param callers nodes of the run's own graph that make one call */
  constructor(callers: ReadonlySet<string>) {
    this.#callers = callers;
  }

  get pending(): readonly Asked[] {
    return [...this.#open.values()].flatMap(({ asked, isApproved }) => (isApproved ? [] : [asked]));
  }

  /** Notes how many calls a model asks for. It is asked when the calls before are answered, so none of these begins. */
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

  /** @returns `null`: the question is unknown */
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

  /** Takes the approval of a call that begins. @returns its id; `undefined`: the call was not asked about */
  takeApproved(call: TaskOfEvent & { readonly tool: string; readonly args: Json }): string | undefined {
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

  /** True if no other call can be taken for the approved one: hidden arguments may look equal. */
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
