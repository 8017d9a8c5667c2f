import { CancellationScope, sleep as sleepInTemporal } from '@temporalio/workflow';
import type { TimerEffect } from '../graph/run/index.ts';
import type { Inbox } from './inbox.ts';
import { createScopes } from './scopes.ts';
import type { Scopes } from './scopes.ts';

/** Starts and cancels Temporal's timers for the timers of a run. */
export interface Timers {
  start(timer: TimerEffect): void;
  cancel(id: string): void;
  /** Returns the number of timers that are started in Temporal. */
  count(): number;
}

/**
 * The maximum of timers that are started in Temporal, because a history has room for some thousand timers, and a new
 * execution sets all of them again. The others wait here until those that are due first have fired or are canceled.
 */
export const MAX_TIMERS = 100;
/** Waiting timers are started together, once fewer timers than this are started. */
const REFILL_BELOW = MAX_TIMERS / 2;

interface TimersDeps {
  readonly scopes: Scopes;
  /** Starts a timer of Temporal in the current scope. */
  readonly sleep: (timer: TimerEffect) => Promise<void>;
  /** Receives each timer that fires, unless it was canceled or replaced under its id. */
  readonly fire: (timer: TimerEffect) => void;
}

/** Opens the timers of a run. They are outside the scope of its calls, because that scope is canceled with the calls. */
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
          // It may have fired while the run replaced it. Another timer has its id then.
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
    if (started.size >= REFILL_BELOW) return;
    for (const timer of waiting.takeFirst(MAX_TIMERS - started.size)) begin(timer);
  };
  /** Moves a started timer back to the waiting ones, to make room for a timer that is due earlier. */
  const setBack = (last: TimerEffect): void => {
    scopes.cancel(last.id);
    scopes.close(last.id);
    started.delete(last.id);
    waiting.add(last);
  };
  return {
    start(timer) {
      const isFull = started.size >= MAX_TIMERS;
      if (!isFull && waiting.isEmpty()) return begin(timer);
      const last = latestTimer([...started.values()]);
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

function latestTimer(timers: readonly TimerEffect[]): TimerEffect | undefined {
  return timers.reduce<TimerEffect | undefined>(
    (last, one) => (last && last.fireAt > one.fireAt ? last : one),
    undefined,
  );
}

/** Creates the waiting timers, which are due after all started ones. */
function createWaitingTimers() {
  const byId = new Map<string, TimerEffect>();
  /** The timers, the last due first; `null` if the order is outdated. It may contain deleted timers. */
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
