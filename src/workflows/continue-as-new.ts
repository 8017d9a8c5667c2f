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
  /** Takes note of the events that the execution begins with. */
  beginsWith(events: number): void;
  /**
   * Takes note of an occurrence.
   * @param hasYielded the run has yielded, so any occurrence makes it go on
   * @returns true if it is not for the run: an `upgrade`, which concerns the workflow, or a `continue` while `holds`
   */
  observe(occurrence: OccurrenceBody, hasYielded: boolean): boolean;
  /** Takes note of units that this execution has spent. */
  countWork(units: number): void;
  /** True if a run that has yielded must wait for the next execution. */
  holds(): boolean;
  /** True if the next execution should make the calls that the run asks for now. @param openCalls of this execution */
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
  /** True once this execution has brought the run further. It prevents executions that only continue as new. */
  let hasProgressed = false;
  /** A person has asked for the current worker version. */
  let isUpgrading = false;
  let work = 0;
  let beginning: Beginning = { historyLength: 0, historySize: history().historySize };
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
 * Continues as new, under the worker version that is current then. A server before 1.31 keeps a pinned workflow pinned
 * whatever the command says, unless its workflow task reports another behavior.
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

/** What Temporal says of an execution. */
export interface HistorySoFar {
  /** In events. */
  readonly historyLength: number;
  /** In bytes. */
  readonly historySize: number;
  /** By the server. */
  readonly continueAsNewSuggested: boolean;
  /** The server names another worker version than the one of this execution. */
  readonly targetWorkerDeploymentVersionChanged: boolean;
}

/** What an execution takes before the run gets on in it: a new execution would take as much. */
export type Beginning = Pick<HistorySoFar, 'historyLength' | 'historySize'>;

/** Reasons to continue as new that the history does not show. */
export interface ContinueAsNewReasons {
  readonly beginning: Beginning;
  /** Length of a history beyond its beginning, in events. */
  readonly continueAfter: number;
  /** A person has asked for the current worker version. */
  readonly isUpgrading: boolean;
  /** Units that the execution has spent. A worker that replays it spends them again, within one workflow task. */
  readonly work: number;
}

/** Histories that have grown so much, in bytes, continue as new once no activity is open. */
const MAX_HISTORY_BYTES = 3_000_000;

/** From this length on no new call is made, so that soon no activity is open. */
const URGENT_EVENTS = 10_000;

/** Executions that have spent so many units continue as new once no activity is open; a replay takes some seconds. */
const MAX_WORK = 30_000_000;

/** From here on nothing begins, as from `URGENT_EVENTS` on. What comes from outside still makes the run go on, up to a yield each. */
const URGENT_WORK = 60_000_000;

/**
 * Decides if a run should continue as new: histories have a limit, their replays a time, and a worker version must not
 * stay alive for a run that waits for a person.
 * @returns `soon`: once no activity is open; `now`: begin no further activity, and do not go on after a yield
 */
export function continueAsNewDue(history: HistorySoFar, reasons: ContinueAsNewReasons): 'no' | 'soon' | 'now' {
  if (history.historyLength >= URGENT_EVENTS || reasons.work >= URGENT_WORK) return 'now';
  const isWanted = reasons.isUpgrading || history.targetWorkerDeploymentVersionChanged;
  return isWanted || isLong(history, reasons) ? 'soon' : 'no';
}

/**
 * Only what has come since the beginning counts, or a run with much to begin with would go on after each event. The
 * server's suggestion knows no beginning, so it counts once the history is twice as long and large.
 */
function isLong(
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
