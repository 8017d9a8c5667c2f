import { workflowInfo } from '@temporalio/workflow';

/** Histories of this size go on in a new execution as soon as nothing is out. The server suggests it, too. */
const MAX_BYTES = 3_000_000;
/** From here on nothing new is begun, so that nothing is out soon. */
const URGENT_EVENTS = 10_000;

/** What a run wants of continuing, besides what its history says. */
export interface ContinuationWishes {
  /** Events. */
  readonly continueAfter: number;
  /** Somebody wants it to go on under another worker version. */
  readonly isUpgrading: boolean;
}

/**
 * Whether a run should go on in a new execution: a history can't grow without end, and a worker version should not have
 * to live as long as a run that waits for a person.
 * @returns `soon`: as soon as no activity is out; `now`: none should be begun any more
 */
export function continuationDue({ continueAfter, isUpgrading }: ContinuationWishes): 'no' | 'soon' | 'now' {
  const { historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
  if (historyLength >= URGENT_EVENTS) return 'now';
  const isLong = continueAsNewSuggested || historyLength >= continueAfter || historySize >= MAX_BYTES;
  return isLong || isUpgrading || targetWorkerDeploymentVersionChanged ? 'soon' : 'no';
}
