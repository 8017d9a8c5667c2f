import { describe, expect, test } from 'vitest';
import type { OccurrenceBody } from '../../../src/graph/run/occurrence.ts';
import type { Run } from '../../../src/graph/run/run.ts';
import { createContinueAsNewPolicy, continueAsNewDue } from '../../../src/workflows/continue-as-new.ts';
import type {
  ContinueAsNewPolicy,
  ContinueAsNewReasons,
  HistorySoFar,
} from '../../../src/workflows/continue-as-new.ts';

const CONTINUE: OccurrenceBody = { kind: 'continue' };
const FIRED: OccurrenceBody = { kind: 'timer', id: 't' };
const RUNNING: Pick<Run, 'phase'> = { phase: { kind: 'running', pause: null } };

/** Units of which an execution has enough, and beyond which it begins nothing. */
const ENOUGH = 30_000_000;
const URGENT = 60_000_000;

interface Circumstances {
  /** Events after which a history is long; it has 5. */
  readonly continueAfter?: number;
  readonly isFlushing?: boolean;
}

function aPolicy({ continueAfter = 4_000, isFlushing = false }: Circumstances): ContinueAsNewPolicy {
  const history = {
    historyLength: 5,
    historySize: 2_000,
    continueAsNewSuggested: false,
    targetWorkerDeploymentVersionChanged: false,
  };
  return createContinueAsNewPolicy(continueAfter, {
    history: () => history,
    flusher: { isFlushing: () => isFlushing, isUrgent: () => false },
    outbox: { hasEvents: () => true },
    inbox: { isEmpty: () => true },
  });
}

/** Of an execution that goes on after a yield and has spent so much. */
function afterYield(units: number, circumstances: Circumstances = {}): ContinueAsNewPolicy {
  const policy = aPolicy(circumstances);
  policy.observe(CONTINUE, true);
  policy.countWork(units);
  return policy;
}

describe('a run with a long history', () => {
  test('a run with a long history does not continue as new without progress, and an idle wake-up is no progress', () => {
    const policy = aPolicy({ continueAfter: 1 });
    policy.observe(CONTINUE, false);
    expect(policy.isDue(RUNNING, 0)).toBe(false);
  });

  test.each([
    [CONTINUE, true],
    [FIRED, false],
  ])(
    'a run with a long history continues as new once it has progressed by %o (it had yielded: %s)',
    (occurrence, hasYielded) => {
      const policy = aPolicy({ continueAfter: 1 });
      policy.observe(occurrence, hasYielded);
      expect(policy.isDue(RUNNING, 0)).toBe(true);
    },
  );
});

describe('a run whose execution begins with many timers', () => {
  const policyAfter = (beginsWith: number): ContinueAsNewPolicy => {
    const policy = aPolicy({ continueAfter: 3 });
    policy.beginsWith(beginsWith);
    policy.observe(FIRED, false);
    return policy;
  };

  test.each([
    [0, true],
    [2, true],
    [3, false],
    [100, false],
  ])(
    'a run whose execution begins with many timers continues as new by what has come since (%i timers: %s)',
    (timers, isDue) => {
      expect(policyAfter(timers).isDue(RUNNING, 0)).toBe(isDue);
    },
  );
});

describe('a run at the limit of computation', () => {
  test('a run continues as new after the limit of computation, and not before it', () => {
    expect(afterYield(ENOUGH - 1).isDue(RUNNING, 0)).toBe(false);
    expect(afterYield(ENOUGH).isDue(RUNNING, 0)).toBe(true);
  });

  test('a run continues as new at the limit of computation if the units come from several steps', () => {
    const policy = afterYield(ENOUGH - 1);
    policy.countWork(1);
    expect(policy.isDue(RUNNING, 0)).toBe(true);
  });

  test('a run at the limit of computation leaves its next call to the next execution', () => {
    expect(afterYield(ENOUGH).defersCalls(0)).toBe(true);
    expect(afterYield(ENOUGH - 1).defersCalls(0)).toBe(false);
  });

  test.each([
    { openCalls: 1, isFlushing: false },
    { openCalls: 0, isFlushing: true },
  ])(
    'a run at the limit of computation waits for open calls and writes, and makes progress until then: %o',
    ({ openCalls, isFlushing }) => {
      const policy = afterYield(ENOUGH, { isFlushing });
      expect([policy.isDue(RUNNING, openCalls), policy.holds(), policy.observe(CONTINUE, true)]).toEqual([
        false,
        false,
        false,
      ]);
    },
  );
});

describe('a run beyond the limit of computation with an open call', () => {
  const policy = afterYield(URGENT);

  test('a run beyond the limit of computation with an open call begins no call and does not continue after a yield', () => {
    expect([policy.isDue(RUNNING, 1), policy.holds(), policy.observe(CONTINUE, true)]).toEqual([false, true, true]);
    expect(policy.defersCalls(1)).toBe(true);
  });

  test('a run beyond the limit of computation with an open call accepts inputs from outside', () => {
    expect(policy.observe(FIRED, true)).toBe(false);
  });

  test('a run beyond the limit of computation continues as new once no call is open', () => {
    expect(afterYield(URGENT).isDue(RUNNING, 0)).toBe(true);
  });
});

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

  test.each(BELOW)('a run stays in its execution: %o', (over) => expect(dueOf(over)).toBe('no'));

  test.each(SOON)('a run continues as new once no activity is open: %o', (over) => expect(dueOf(over)).toBe('soon'));

  test.each(NOW)('a run begins nothing before it continues as new: %o', (over) => expect(dueOf(over)).toBe('now'));
});
