import type { Approval } from '../run/approvals/approval.ts';
import { bytesOfAll } from '../run/held-bytes.ts';
import { approvalNumber } from '../run/ids.ts';
import type { TaskPath } from '../run/ids.ts';
import type { Run } from '../run/run.ts';
import { own } from '../values/json.ts';
import { IdsByTask } from './ids-by-task.ts';

/**
 * The approvals of a draft. A run may wait for thousands, so to save one costs no look at all of them: the pending ones
 * are known by their tasks, and the closed ones, which are few, by themselves. Both are looked for at the first use.
 */
export class DraftApprovals {
  readonly byId: Record<string, Approval>;
  #pendingByTask: IdsByTask | null = null;
  #closed: readonly Approval[] | null = null;

  constructor(approvals: Run['approvals']) {
    this.byId = { ...approvals };
  }

  /** The closed approvals that the run remembers, in the order of their requests. */
  get closed(): readonly Approval[] {
    return (this.#closed ??= Object.values(this.byId).filter((approval) => !isPending(approval)));
  }

  get pending(): readonly Approval[] {
    return Object.values(this.byId).filter(isPending);
  }

  /** Returns the pending approvals of the task at a path and of the tasks inside it, in the order of their requests. */
  pendingWithin(path: TaskPath): readonly Approval[] {
    this.#pendingByTask ??= new IdsByTask(this.pending.map(({ id, task }) => [id, task]));
    return this.#pendingByTask.within(path).flatMap((id) => own(this.byId, id) ?? []);
  }

  /** Saves a new or changed approval. @returns the bytes by which it has grown, and those of approvals forgotten for it */
  save(approval: Approval): { readonly grown: number; readonly forgotten: number } {
    const { id, task } = approval;
    const before = own(this.byId, id);
    const grown = bytesOfAll([approval]) - bytesOfAll(before ? [before] : []);
    const forgotten = isPending(approval) ? [] : this.#addClosed(approval);
    this.byId[id] = approval;
    if (isPending(approval)) this.#pendingByTask?.add(id, task);
    else this.#pendingByTask?.delete(id, task);
    for (const one of forgotten) delete this.byId[one.id];
    return { grown, forgotten: bytesOfAll(forgotten) };
  }

  /** @returns the approvals for which there is no room any more: those requested first */
  #addClosed(approval: Approval): readonly Approval[] {
    const number = approvalNumber(approval);
    const others = this.closed.filter(({ id }) => id !== approval.id);
    const closed = others.toSpliced(others.findLastIndex((one) => approvalNumber(one) < number) + 1, 0, approval);
    this.#closed = closed.slice(-MAX_CLOSED);
    return closed.slice(0, -MAX_CLOSED);
  }
}

function isPending({ status }: Approval): boolean {
  return status === 'pending';
}

/** The number of closed approvals that queries return; the store holds all of them. */
const MAX_CLOSED = 100;
