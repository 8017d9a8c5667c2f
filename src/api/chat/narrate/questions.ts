import type { RunEvent } from '../../../graph/journal/index.ts';
import { REDACTED } from '../../../graph/redaction/index.ts';
import { deepEqual, isJsonList, isJsonObject } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import type { Asked } from './question-chunks.ts';
import { keyOfTask } from './task.ts';
import type { TaskOfEvent } from './task.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;
type Decided = EventOf<'approval.decided'> | EventOf<'approval.expired'>;

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
  hearModel(event: EventOf<'model.called'>): void {
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
