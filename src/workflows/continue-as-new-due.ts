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
