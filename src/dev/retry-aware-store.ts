import type { CallClaim, CallEnd } from '../store/calls/ledger-claims.ts';
import type { Store } from '../store/store.ts';

/** A store that reports runs of which a call has failed and is to be made again: no event of the journal says so. */
export function retryAwareStore(store: Store, report: (runId: string) => void): Store {
  const { ledger } = store;
  return {
    ...store,
    ledger: {
      ...ledger,
      async fail(call, failure) {
        const isRecorded = await ledger.fail(call, failure);
        if (failure.status === 'retrying') report(runOf(call.key));
        return isRecorded;
      },
      async settle(claim: CallClaim, end: CallEnd, judge) {
        const settled = await ledger.settle(claim, end, judge);
        if (end.status === 'retrying') report(claim.runId);
        return settled;
      },
    },
  };
}

/** The key of a call begins with the id of its run. */
function runOf(key: string): string {
  return key.slice(0, key.indexOf(':'));
}
