import type { RunEvent } from '../../../graph/journal/index.ts';
import { digestOf } from '../../../graph/run/index.ts';
import { deepEqual } from '../../../graph/values/index.ts';

type Asking = Extract<RunEvent, { readonly type: 'approval.requested' }>;

/** Questions to several people, of whom each may edit what the others have to approve then. */
export class EditedQuestions {
  /** How each question was asked last, by the ids of their approvals. */
  readonly #asked = new Map<string, Asking>();

  /**
   * @param event with all its values, as the digest is one of these
   * @returns the question as it is asked from now on; `null`: the event changes none that waits
   */
  hear(event: RunEvent): Asking | null {
    if (event.type === 'approval.requested') this.#asked.set(event.approval.id, event);
    if (event.type !== 'approval.decided' || event.status !== 'pending') return null;
    const { approvalId, args, seq, at } = event;
    const asked = this.#asked.get(approvalId);
    if (!asked || deepEqual(asked.approval.args, args)) return null;
    const shown = { ...asked.approval, args };
    const anew = { ...asked, seq, at, approval: { ...shown, digest: digestOf(shown) } };
    this.#asked.set(approvalId, anew);
    return anew;
  }
}
