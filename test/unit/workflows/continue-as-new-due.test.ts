import { describe, expect, test } from 'vitest';
import { continueAsNewDue } from '../../../src/workflows/continue-as-new-due.ts';
import type { ContinueAsNewReasons, HistorySoFar } from '../../../src/workflows/continue-as-new-due.ts';

const history: HistorySoFar = {
  historyLength: 5,
  historySize: 2_000,
  continueAsNewSuggested: false,
  targetWorkerDeploymentVersionChanged: false,
};
const NOTHING = { historyLength: 0, historySize: 0 };
const reasons: ContinueAsNewReasons = { beginning: NOTHING, continueAfter: 4_000, isUpgrading: false, work: 0 };
/** Of an execution that sets many timers, and is given much. */
const beginning = { historyLength: 4_200, historySize: 4_500_000 };

const BELOW: readonly Partial<HistorySoFar & ContinueAsNewReasons>[] = [
  {},
  { historyLength: 3_999 },
  { historySize: 2_999_999 },
  { work: 29_999_999 },
  // What it begins with, with something more.
  { beginning, historyLength: 4_210, historySize: 4_510_000, continueAsNewSuggested: true },
  { beginning, historyLength: 8_199, historySize: 7_499_999 },
  { beginning, historyLength: 8_199, historySize: 7_499_999, continueAsNewSuggested: true },
  { beginning: { historyLength: 60, historySize: 2_000 }, continueAfter: 30, historyLength: 89 },
  // The suggestion of a server that wants shorter histories than the run begins with.
  { beginning: { historyLength: 60, historySize: 2_000 }, historyLength: 119, continueAsNewSuggested: true },
];

const SOON: readonly Partial<HistorySoFar & ContinueAsNewReasons>[] = [
  { historyLength: 4_000 },
  { historyLength: 9_999 },
  { continueAfter: 5 },
  { historySize: 3_000_000 },
  { continueAsNewSuggested: true },
  { targetWorkerDeploymentVersionChanged: true },
  { isUpgrading: true },
  { work: 30_000_000 },
  { work: 59_999_999 },
  { beginning, historyLength: 8_200, historySize: 4_510_000 },
  { beginning, historyLength: 4_210, historySize: 7_500_000 },
  { beginning: { historyLength: 60, historySize: 2_000 }, continueAfter: 30, historyLength: 90 },
  {
    beginning: { historyLength: 60, historySize: 2_000 },
    historyLength: 120,
    historySize: 4_000,
    continueAsNewSuggested: true,
  },
];

const NOW: readonly Partial<HistorySoFar & ContinueAsNewReasons>[] = [
  { historyLength: 10_000 },
  { historyLength: 10_000, beginning },
  { work: 60_000_000 },
  { work: 60_000_000, isUpgrading: true },
];

describe('a run', () => {
  const dueOf = (over: Partial<HistorySoFar & ContinueAsNewReasons>): string =>
    continueAsNewDue({ ...history, ...over }, { ...reasons, ...over });

  test.each(BELOW)('stays in its execution: %o', (over) => expect(dueOf(over)).toBe('no'));

  test.each(SOON)('continues as new once no activity is open: %o', (over) => expect(dueOf(over)).toBe('soon'));

  test.each(NOW)('begins nothing before it continues as new: %o', (over) => expect(dueOf(over)).toBe('now'));
});
