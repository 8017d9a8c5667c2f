import type { RunEvent } from '../../../graph/journal/index.ts';
import { REDACTED } from '../../../graph/redaction/index.ts';
import { digestOf } from '../../../graph/run/index.ts';
import type { PublicApproval } from '../../../graph/run/index.ts';
import { deepEqual, isJsonList, isJsonObject } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import { keyOfTask } from './plan-chat.ts';

export type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;
/** An event that closes an approval, or adds a decision to it. */
export type DecidedQuestion = EventOf<'approval.decided'> | EventOf<'approval.expired'>;

/**
 * Tracks questions that need several approvals, because each approver may edit the arguments that the others have to
 * approve.
 */
export class EditedQuestions {
  /** The latest version of each question, by approval id. */
  readonly #asked = new Map<string, EventOf<'approval.requested'>>();

  /**
   * @param event not redacted, because the digest covers all values
   * @returns the question after an edit; `null` when the event edits no pending question
   */
  add(event: RunEvent): EventOf<'approval.requested'> | null {
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
export type QuestionContent = Pick<PublicApproval, 'id' | 'title' | 'details' | 'args' | 'tool' | 'digest'>;

interface ApprovalQuestion {
  readonly task: string;
  readonly node: string;
  /**
   * True for a task in a subgraph: its other runs, for other elements or visits, have events with equal task fields.
   */
  readonly isInside: boolean;
  /** The question with the edits made so far. */
  readonly asked: QuestionContent;
  readonly isApproved: boolean;
}

/** The effect of a decision on a question. */
interface DecisionEvent {
  readonly becomes: 'call' | 'answer' | 'waiting';
  /** The question with edited arguments; `null` when they are unchanged. */
  readonly edited: QuestionContent | null;
}

/**
 * Tracks questions that are pending, or approved with their call not begun. The event of a call that begins has no
 * approval id, and other calls may begin first, so it is matched by task, tool and approved arguments.
 */
export class ApprovalQuestions {
  /**
   * Open questions by approval id, in the order in which they were asked. The calls of one message begin in the same
   * order.
   */
  readonly #open = new Map<string, ApprovalQuestion>();
  /** The number of tool calls in the latest model answer, by task. */
  readonly #batchSizes = new Map<string, number>();
  readonly #singleCallNodes: ReadonlySet<string>;

  /** @param singleCallNodes nodes of the root graph that make one call of their own */
  constructor(singleCallNodes: ReadonlySet<string>) {
    this.#singleCallNodes = singleCallNodes;
  }

  get pending(): readonly QuestionContent[] {
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
    const asking = { task: keyOfTask(event), node: event.node, isInside: event.path !== undefined };
    this.#open.set(asked.id, { ...asking, asked, isApproved: false });
  }

  /** @returns `null` for an unknown question */
  decide(event: DecidedQuestion): DecisionEvent | null {
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

  #becomes(decided: ApprovalQuestion, status: string): DecisionEvent['becomes'] {
    if (status === 'pending') return 'waiting';
    return decided.isApproved && this.#canBeFound(decided) ? 'call' : 'answer';
  }

  /** Returns true if only one call can match the approval. Redacted arguments may look equal although they differ. */
  #canBeFound({ task, node, isInside, asked: { tool, args } }: ApprovalQuestion): boolean {
    if (tool === undefined) return false;
    const isOnlyCall = !isInside && (this.#singleCallNodes.has(node) || this.#batchSizes.get(task) === 1);
    return isOnlyCall || !isPartlyHidden(args);
  }
}

function isPartlyHidden(value: Json): boolean {
  if (isJsonList(value)) return value.some(isPartlyHidden);
  if (isJsonObject(value)) return Object.values(value).some(isPartlyHidden);
  return value === REDACTED;
}
