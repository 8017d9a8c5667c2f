import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { isCallReply } from '../../graph/run/index.ts';
import type { Ledger } from '../../store/ledger.ts';
import { toFailure, unknownOutcomeError } from './application-failure.ts';
import type { CallOutcome } from './call-task.ts';
import { ASK_AGAIN_AFTER_MS } from './claim-call.ts';
import type { KnownCall } from './judge-claim.ts';
import { recordOutcome } from './record-outcome.ts';

/**
 * Ends an activity with the outcome in the ledger. While another attempt makes the call, the activity is retried later.
 * @throws ApplicationFailure as `performCall` does
 */
export async function answerFromLedger(ledger: Ledger, key: string, known: KnownCall): Promise<CallOutcome> {
  switch (known.kind) {
    case 'completed':
      if (!isCallReply(known.result)) throw new TypeError(`The ledger's result of ${key} is no reply`);
      return { reply: known.result, attempts: known.attempts, durationMs: 0 };
    case 'failed':
      throw toFailure(known.failure);
    case 'in-progress':
      throw askAgainLater('Another attempt is making the call');
    case 'lost':
      throw await markLost(ledger, key, known);
  }
}

async function markLost(
  ledger: Ledger,
  key: string,
  { why, seen }: KnownCall & { readonly kind: 'lost' },
): Promise<ApplicationFailure> {
  const failure = { error: unknownOutcomeError(why, 1), callFailed: false };
  let isUnknown = true;
  await recordOutcome(async () => {
    isUnknown = await ledger.markUnknown(key, seen, failure);
  });
  return isUnknown ? toFailure(failure) : askAgainLater('The outcome of the call is known meanwhile');
}

function askAgainLater(message: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'HELD',
    message,
    nextRetryDelay: ASK_AGAIN_AFTER_MS,
    category: ApplicationFailureCategory.BENIGN,
  });
}
