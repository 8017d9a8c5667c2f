import { workflowInfo, makeContinueAsNewFunc } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import { hasEnded } from '../graph/run/index.ts';
import type { OccurrenceBody, Run } from '../graph/run/index.ts';
import type { Json } from '../graph/values/index.ts';
import { UPGRADE } from './contract.ts';
import type { WorkflowInput } from './contract.ts';
import type { Inbox } from './inbox.ts';
import type { Outbox } from './outbox.ts';
import type { JournalFlusher } from './journal-flusher.ts';

/** Decides when a run continues in a new execution. */
export interface ContinueAsNewPolicy {
  /** Sets the number of events that the execution begins with. */
  beginsWith(events: number): void;
  /**
   * Records an occurrence.
   * @param hasYielded true if the run has yielded, so any occurrence continues it
   * @returns true if the run must not receive it: an `upgrade`, which concerns the workflow, or a `continue` while `holds`
   */
  observe(occurrence: OccurrenceBody, hasYielded: boolean): boolean;
  /** Adds units that this execution has spent. */
  countWork(units: number): void;
  /** True if a run that has yielded must wait for the next execution. */
  holds(): boolean;
  /** True if the next execution should make the calls that the run requests now. @param openCalls of this execution */
  defersCalls(openCalls: number): boolean;
  /**
   * True if the run must continue as new now. Nothing is lost: the inbox is empty, and a signal that arrives meanwhile
   * makes the server reject the command and schedule another workflow task.
   */
  isDue(run: Pick<Run, 'phase'>, openCalls: number): boolean;
}

interface ContinueAsNewDeps {
  readonly history: () => HistorySoFar;
  readonly flusher: Pick<JournalFlusher, 'isFlushing' | 'isUrgent'>;
  readonly outbox: Pick<Outbox, 'hasEvents'>;
  readonly inbox: Pick<Inbox, 'isEmpty'>;
}

/** @param continueAfter length of a history beyond its beginning, in events */
export function createContinueAsNewPolicy(
  continueAfter: number,
  { history, flusher, outbox, inbox }: ContinueAsNewDeps,
): ContinueAsNewPolicy {
  /** True once the run has progressed in this execution. It prevents executions that only continue as new. */
  let hasProgressed = false;
  /** True if a person has requested the current worker version. */
  let isUpgrading = false;
  let work = 0;
  let beginning: HistoryBeginning = { historyLength: 0, historySize: history().historySize };
  const due = (): ReturnType<typeof continueAsNewDue> =>
    hasProgressed ? continueAsNewDue(history(), { beginning, continueAfter, isUpgrading, work }) : 'no';
  return {
    beginsWith: (historyLength) => void (beginning = { ...beginning, historyLength }),
    observe(occurrence, hasYielded) {
      const isContinue = occurrence.kind === 'continue';
      if (isContinue && due() === 'now') return true;
      hasProgressed ||= hasYielded || !isContinue;
      const isUpgrade = occurrence.kind === 'signal' && occurrence.name === UPGRADE;
      isUpgrading ||= isUpgrade;
      return isUpgrade;
    },
    countWork: (units) => void (work += units),
    holds: () => due() === 'now',
    defersCalls(openCalls) {
      const when = due();
      return when === 'now' || (when === 'soon' && openCalls === 0);
    },
    isDue(run, openCalls) {
      const isIdle = openCalls === 0 && !flusher.isFlushing() && inbox.isEmpty();
      if (!isIdle || hasEnded(run)) return false;
      const when = due();
      return when === 'now' || (when === 'soon' && (!flusher.isUrgent() || !outbox.hasEvents()));
    },
  };
}

/**
 * Continues as new under the current worker version. A server before 1.31 keeps a pinned workflow pinned in spite of the
 * command, unless its workflow task reports another behavior.
 */
export async function continueAsNew(input: WorkflowInput): Promise<never> {
  if (isVersioned()) Object.assign(getActivator(), { versioningBehavior: 'AUTO_UPGRADE' });
  const next = makeContinueAsNewFunc<(input: WorkflowInput) => Promise<Json>>({
    initialVersioningBehavior: 'AUTO_UPGRADE',
  });
  return await next(input);
}

/** Returns false for an unversioned worker, which must not name a versioning behavior: the server would refuse its task. */
export function isVersioned(): boolean {
  return (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') !== '';
}

/** The facts that Temporal reports about an execution. */
export interface HistorySoFar {
  /** In events. */
  readonly historyLength: number;
  /** In bytes. */
  readonly historySize: number;
  /** True if the server suggests it. */
  readonly continueAsNewSuggested: boolean;
  /** True if the server names another worker version than that of this execution. */
  readonly targetWorkerDeploymentVersionChanged: boolean;
}

/** The size of an execution's history before the run progresses. A new execution would begin with as much. */
export type HistoryBeginning = Pick<HistorySoFar, 'historyLength' | 'historySize'>;

/** Reasons to continue as new that the history does not show. */
export interface ContinueAsNewReasons {
  readonly beginning: HistoryBeginning;
  /** Length of a history beyond its beginning, in events. */
  readonly continueAfter: number;
  /** True if a person has requested the current worker version. */
  readonly isUpgrading: boolean;
  /** The units that the execution has spent. A worker that replays it spends them again within one workflow task. */
  readonly work: number;
}

/** Histories that have grown by this number of bytes continue as new once no activity is open. */
const MAX_HISTORY_BYTES = 3_000_000;

/** From this length on, no new call is made, so that soon no activity is open. */
const URGENT_EVENTS = 10_000;

/** Executions that have spent this many units continue as new once no activity is open. Their replay takes seconds. */
const MAX_WORK = 30_000_000;

/** From here on, nothing begins, as from `URGENT_EVENTS` on. An input from outside still continues the run up to a yield. */
const URGENT_WORK = 60_000_000;

/**
 * Decides if a run should continue as new: the length of a history and the time of its replay are limited, and a worker
 * version must not stay alive for a run that waits for a person.
 * @returns `soon` to continue as new once no activity is open; `now` to begin no activity and continue no yielded run
 */
export function continueAsNewDue(history: HistorySoFar, reasons: ContinueAsNewReasons): 'no' | 'soon' | 'now' {
  if (history.historyLength >= URGENT_EVENTS || reasons.work >= URGENT_WORK) return 'now';
  const isWanted = reasons.isUpgrading || history.targetWorkerDeploymentVersionChanged;
  return isWanted || isLongHistory(history, reasons) ? 'soon' : 'no';
}

/**
 * True if the history has grown enough since its beginning. The beginning does not count, because a run with a large one
 * would otherwise continue as new after each event. The server's suggestion ignores the beginning, so it only counts once
 * the history has doubled.
 */
function isLongHistory(
  { historyLength, historySize, continueAsNewSuggested }: HistorySoFar,
  { beginning, continueAfter, work }: ContinueAsNewReasons,
): boolean {
  const events = historyLength - beginning.historyLength;
  const bytes = historySize - beginning.historySize;
  const hasDoubled = events >= beginning.historyLength && bytes >= beginning.historySize;
  return (
    (continueAsNewSuggested && hasDoubled) || events >= continueAfter || bytes >= MAX_HISTORY_BYTES || work >= MAX_WORK
  );
}
