import type { RunEvent } from '../../../graph/journal/index.ts';
import { REDACTED } from '../../../graph/redaction/index.ts';
import { deepEqual, isJsonList, isJsonObject } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import { keyOfTask } from './task.ts';
import type { TaskOfEvent } from './task.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;
type Decided = EventOf<'approval.decided'> | EventOf<'approval.expired'>;

interface Question {
  readonly task: string;
  readonly node: string;
  /** True in a graph inside: runs of it in other elements or visits have events of equal tasks. */
  readonly isInside: boolean;
  /** `undefined`: the question is about no tool. */
  readonly tool: string | undefined;
  /** The arguments to approve, with the edits made so far. */
  readonly args: Json;
  readonly isApproved: boolean;
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

  get pending(): readonly string[] {
    return [...this.#open].flatMap(([id, { isApproved }]) => (isApproved ? [] : [id]));
  }

  /** Notes how many calls a model asks for. It is asked when the calls before are answered, so none of these begins. */
  hearModel(event: EventOf<'model.called'>): void {
    if (event.path !== undefined) return;
    const task = keyOfTask(event);
    this.#batchSizes.set(task, event.toolCalls ?? 0);
    for (const [id, question] of this.#open) if (question.isApproved && question.task === task) this.#open.delete(id);
  }

  ask(event: EventOf<'approval.requested'>): void {
    const { id, tool, args } = event.approval;
    const place = { task: keyOfTask(event), node: event.node, isInside: event.path !== undefined };
    this.#open.set(id, { ...place, tool, args, isApproved: false });
  }

  /** @returns what the question becomes; `null`: it is unknown, or still waits */
  decide(event: Decided): 'call' | 'answer' | null {
    const { approvalId: id, status } = event;
    const asked = this.#open.get(id);
    if (!asked) return null;
    const decided = { ...asked, args: event.type === 'approval.decided' ? event.args : asked.args };
    const isApproved = status === 'approved';
    const becomesCall = isApproved && this.#canBeFound(decided);
    if (becomesCall || status === 'pending') this.#open.set(id, { ...decided, isApproved });
    else this.#open.delete(id);
    if (status === 'pending') return null;
    return becomesCall ? 'call' : 'answer';
  }

  /** Takes the approval of a call that begins. @returns its id; `undefined`: the call was not asked about */
  takeApproved(call: TaskOfEvent & { readonly tool: string; readonly args: Json }): string | undefined {
    const task = keyOfTask(call);
    const [id] =
      [...this.#open].find(
        ([, asked]) =>
          asked.isApproved && asked.task === task && asked.tool === call.tool && deepEqual(asked.args, call.args),
      ) ?? [];
    if (id !== undefined) this.#open.delete(id);
    return id;
  }

  /** True if no other call can be taken for the approved one: hidden arguments may look equal. */
  #canBeFound({ task, node, isInside, tool, args }: Question): boolean {
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
