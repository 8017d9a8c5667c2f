import { CancellationScope, sleep as sleepInTemporal } from '@temporalio/workflow';
import type { TimerEffect } from '../graph/run/index.ts';
import type { Inbox } from './inbox.ts';
import { createScopes } from './scopes.ts';
import type { Scopes } from './scopes.ts';

/** Temporal's timers for those of a run. */
export interface Timers {
  start(timer: TimerEffect): void;
  cancel(id: string): void;
  /** The number of timers that Temporal has. */
  count(): number;
}

/**
 * A history has room for some thousand timers, and a new execution sets all of them again. So Temporal has those that are
 * due first, and the others wait here until these have fired or are canceled.
 */
export const MOST_TIMERS = 100;
/** Waiting timers are started some at a time. */
const FEWEST_TIMERS = MOST_TIMERS / 2;

interface TimersDeps {
  readonly scopes: Scopes;
  /** Sets a timer of Temporal in the current scope. */
  readonly sleep: (timer: TimerEffect) => Promise<void>;
  /** Is called for each timer that fires, unless it was canceled or replaced under its id. */
  readonly fire: (timer: TimerEffect) => void;
}

/** Opens the timers of a run. They outlive the scope of its calls, as that is canceled with the calls. */
export function openTimers(inbox: Inbox): Timers {
  return createTimers({
    scopes: createScopes(CancellationScope.current().parent),
    sleep: ({ fireAt, summary }) => sleepInTemporal(Math.max(1, fireAt - Date.now()), { summary }),
    fire: ({ id, fireAt }) => inbox.push({ kind: 'timer', id, fireAt }),
  });
}

export function createTimers({ scopes, sleep, fire }: TimersDeps): Timers {
  const started = new Map<string, TimerEffect>();
  const waiting = createWaitingTimers();
  const begin = (timer: TimerEffect): void => {
    started.set(timer.id, timer);
    void scopes
      .open(timer.id, () => sleep(timer))
      .then(
        () => {
          // It may have fired when the run replaced it: what is open under its id then is another timer.
          if (started.get(timer.id) !== timer) return;
          forget(timer.id);
          fire(timer);
        },
        // Only a cancellation ends a sleep early, and the interpreter expects no occurrence for a canceled timer.
        () => undefined,
      );
  };
  const forget = (id: string): void => {
    started.delete(id);
    scopes.close(id);
    if (started.size >= FEWEST_TIMERS) return;
    for (const timer of waiting.takeFirst(MOST_TIMERS - started.size)) begin(timer);
  };
  /** Makes room for a timer that is due before the last one which Temporal has. */
  const setBack = (last: TimerEffect): void => {
    scopes.cancel(last.id);
    scopes.close(last.id);
    started.delete(last.id);
    waiting.add(last);
  };
  return {
    start(timer) {
      const isFull = started.size >= MOST_TIMERS;
      if (!isFull && waiting.isEmpty()) return begin(timer);
      const last = lastOf([...started.values()]);
      if (!last || timer.fireAt >= last.fireAt) return waiting.add(timer);
      if (isFull) setBack(last);
      begin(timer);
    },
    cancel(id) {
      waiting.delete(id);
      if (!started.has(id)) return;
      scopes.cancel(id);
      forget(id);
    },
    count: () => started.size,
  };
}

function lastOf(timers: readonly TimerEffect[]): TimerEffect | undefined {
  return timers.reduce<TimerEffect | undefined>(
    (last, one) => (last && last.fireAt > one.fireAt ? last : one),
    undefined,
  );
}

/** Timers that are due after all that were started. */
function createWaitingTimers() {
  const byId = new Map<string, TimerEffect>();
  /** The last one first; `null`: it must be made anew. What was deleted may stand in it. */
  let ordered: TimerEffect[] | null = null;
  return {
    isEmpty: () => byId.size === 0,
    add(timer: TimerEffect) {
      byId.set(timer.id, timer);
      ordered = null;
    },
    delete: (id: string) => void byId.delete(id),
    takeFirst(most: number): readonly TimerEffect[] {
      ordered ??= [...byId.values()].reverse().sort((a, b) => b.fireAt - a.fireAt);
      const taken: TimerEffect[] = [];
      while (taken.length < most) {
        const timer = ordered.pop();
        if (!timer) break;
        if (byId.get(timer.id) !== timer) continue;
        byId.delete(timer.id);
        taken.push(timer);
      }
      return taken;
    },
  };
}
