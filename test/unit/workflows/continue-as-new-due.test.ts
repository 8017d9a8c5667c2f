import { describe, expect, test } from 'vitest';
import { continueAsNewDue } from '../../../src/workflows/continue-as-new-due.ts';
import type { ContinueAsNewReasons, HistorySoFar } from '../../../src/workflows/continue-as-new-due.ts';

const history: HistorySoFar = {
  historyLength: 5,
  historySize: 2_000,
  continueAsNewSuggested: false,
  targetWorkerDeploymentVersionChanged: false,
};
const reasons: ContinueAsNewReasons = { continueAfter: 4_000, isUpgrading: false, work: 0 };

const BELOW: readonly Partial<HistorySoFar & ContinueAsNewReasons>[] = [
  {},
  { historyLength: 3_999 },
  { historySize: 2_999_999 },
  { work: 29_999_999 },
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
];

const NOW: readonly Partial<HistorySoFar & ContinueAsNewReasons>[] = [
  { historyLength: 10_000 },
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
