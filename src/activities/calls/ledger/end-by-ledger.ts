import { isCallReply } from '../../../graph/run/index.ts';
import type { TaskFailure } from '../../../graph/values/index.ts';
import type { Ledger } from '../../../store/calls/ledger.ts';
import { toFailure, tryAgainLater } from '../application-failure.ts';
import { unknownOutcomeError } from '../unknown-outcome.ts';
import type { CallOutcome } from '../call-task.ts';
import { ASK_AGAIN_AFTER_MS } from './claim-call.ts';
import type { LedgerAnswer } from './judge-claim.ts';
import { recordOutcome } from './record-outcome.ts';

/**
 * Ends an activity with the ledger's answer. A lost attempt is first recorded as an unknown outcome. While another
 * attempt makes the call, the activity is retried later.
 * @throws ApplicationFailure as `performCall` does
 */
export async function endByLedger(ledger: Ledger, key: string, answer: LedgerAnswer): Promise<CallOutcome> {
  return toOutcome(key, answer.kind === 'lost' ? await recordLost(ledger, key, answer) : answer);
}

type LostAnswer = LedgerAnswer & { readonly kind: 'lost' };
type NotLost = Exclude<LedgerAnswer, LostAnswer>;

/** Records an unknown outcome, unless the entry has changed since it was read. */
async function recordLost(ledger: Ledger, key: string, { why, seen }: LostAnswer): Promise<NotLost> {
  const failure: TaskFailure = { error: unknownOutcomeError(why, 1), callFailed: false };
  let hasChanged = false;
  await recordOutcome(async () => {
    hasChanged = !(await ledger.markUnknown(key, seen, failure));
  });
  return hasChanged ? { kind: 'in-progress' } : { kind: 'failed', failure };
}

function toOutcome(key: string, answer: NotLost): CallOutcome {
  switch (answer.kind) {
    case 'completed':
      if (!isCallReply(answer.result)) throw new TypeError(`The ledger's result of ${key} is no reply`);
      return { reply: answer.result, attempts: answer.attempts, durationMs: 0 };
    case 'failed':
      throw toFailure(answer.failure);
    case 'in-progress':
      throw tryAgainLater('IN_PROGRESS', 'Another attempt makes the call', ASK_AGAIN_AFTER_MS);
  }
}
