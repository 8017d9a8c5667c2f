import { CancellationScope, sleep } from '@temporalio/workflow';
import type { Effect } from '../graph/run/index.ts';
import type { CallOwner } from './call-activities.ts';
import { createCalls } from './calls.ts';
import type { AttachJournal, Calls, CallsDeps } from './calls.ts';
import { createScopes } from './scopes.ts';
import { createTimers } from './timers.ts';
import type { Timers } from './timers.ts';

/** Performs the interpreter's effects: calls become activities, timers become Temporal timers. */
export interface Effects extends Pick<Calls, 'outstanding' | 'isCallingLocally' | 'enterTask'> {
  perform(effect: Effect, attachJournal: AttachJournal): void;
  readonly timers: Pick<Timers, 'count'>;
}

export function createEffects(deps: CallsDeps, owner: CallOwner): Effects {
  const calls = createCalls(deps, owner);
  const timers = createTimers({
    // Timers outlive the scope of the run's calls, as that is canceled with the calls.
    scopes: createScopes(CancellationScope.current().parent),
    sleep: ({ fireAt, summary }) => sleep(Math.max(1, fireAt - Date.now()), { summary }),
    fire: ({ id, fireAt }) => deps.inbox.push({ kind: 'timer', id, fireAt }),
  });
  return {
    ...calls,
    timers,
    perform(effect, attachJournal) {
      switch (effect.kind) {
        case 'call':
          return calls.make({ effect, attachJournal });
        case 'timer':
          return timers.start(effect);
        case 'cancel.timer':
          return timers.cancel(effect.id);
        case 'cancel.call':
          return calls.cancel(effect.key);
        case 'cancel.calls':
          return calls.cancelAll();
      }
    },
  };
}
