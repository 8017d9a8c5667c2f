import type { RunEvent } from '../../../graph/journal/index.ts';
import type { Chunk } from './chunk.ts';
import { keyOfTask } from './task.ts';
import type { TaskOfEvent } from './task.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;
type Decided = EventOf<'approval.decided'> | EventOf<'approval.expired'>;

/** The name of the call that stands for an approval of no tool. */
const APPROVAL = 'approval';

/** A call on the client's side. A question to a person has a call of its own, with the id of its approval. */
interface Told {
  readonly toolCallId: string;
  readonly task: string;
  readonly tool: string;
}

/** Calls of tools and questions to people, as the client of a stream has seen them. */
export class ToldCalls {
  readonly #pending = new Map<string, Told>();
  /** Approved calls that are not made yet, in their order. */
  #approved: readonly Told[] = [];
  /** Calls that are made, by their idempotency keys. */
  readonly #made = new Map<string, Told>();

  get waitsForPeople(): boolean {
    return this.#pending.size > 0;
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
      default:
        return null;
    }
  }

  /** Asks again for all that waits for a decision: a client that has sent one takes it for done. */
  askAgain(): readonly Chunk[] {
    return [...this.#pending].map(([approvalId, { toolCallId }]) => ({
      type: 'tool-approval-request',
      approvalId,
      toolCallId,
    }));
  }

  #request(event: EventOf<'tool.requested'>): readonly Chunk[] {
    const { tool, args, idempotencyKey } = event;
    const task = keyOfTask(event);
    const before = this.#made.get(idempotencyKey) ?? this.#takeApproved(task, tool);
    const toolCallId = before?.toolCallId ?? idempotencyKey;
    this.#made.set(idempotencyKey, { toolCallId, task, tool });
    return [{ type: 'tool-input-available', toolCallId, toolName: tool, input: args, dynamic: true }];
  }

  #takeApproved(task: string, tool: string): Told | undefined {
    const found = this.#approved.find((told) => told.task === task && told.tool === tool);
    this.#approved = this.#approved.filter((told) => told !== found);
    return found;
  }

  #madeBy(task: TaskOfEvent, tool: string): Told | undefined {
    const key = keyOfTask(task);
    return [...this.#made.values()].findLast((told) => told.task === key && told.tool === tool);
  }

  #ask({ approval, ...event }: EventOf<'approval.requested'>): readonly Chunk[] {
    const { id, title, details, args, tool: toolName = APPROVAL } = approval;
    this.#pending.set(id, { toolCallId: id, task: keyOfTask(event), tool: toolName });
    const input = approval.tool === undefined ? { title, details, args } : args;
    const call = { type: 'tool-input-available', toolCallId: id, toolName, input, dynamic: true } as const;
    return [
      { ...call, ...(typeof title === 'string' && { title }) },
      { type: 'tool-approval-request', approvalId: id, toolCallId: id },
    ];
  }

  #decide(event: Decided): readonly Chunk[] {
    const { approvalId, status } = event;
    const told = this.#pending.get(approvalId);
    if (!told || status === 'pending') return [];
    this.#pending.delete(approvalId);
    const { toolCallId, tool } = told;
    if (status === 'rejected') return [{ type: 'tool-output-denied', toolCallId }];
    if (status !== 'approved')
      return [{ type: 'tool-output-error', toolCallId, errorText: `The approval is ${status}`, dynamic: true }];
    if (tool === APPROVAL)
      return [{ type: 'tool-output-available', toolCallId, output: { approved: true }, dynamic: true }];
    this.#approved = [...this.#approved, told];
    return [];
  }
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
