import { CancellationScope, sleep } from '@temporalio/workflow';
import type { Effect, TimerEffect } from '../graph/run/index.ts';
import type { CallOwner } from './calls/call-activities.ts';
import { createCalls } from './calls/calls.ts';
import type { AttachJournal, Calls, CallsDeps } from './calls/calls.ts';
import { createScopes } from './scopes.ts';
import type { Scopes } from './scopes.ts';

/** Performs the interpreter's effects: calls become activities, timers become Temporal timers. */
export interface Effects extends Pick<Calls, 'outstanding' | 'isCallingLocally' | 'enterTask'> {
  perform(effect: Effect, attachJournal: AttachJournal): void;
}

/** Each timer has a scope of its own. Timers outlive the scope of the run's calls, as that is canceled with the calls. */
export function createEffects(deps: CallsDeps, owner: CallOwner): Effects {
  const calls = createCalls(deps, owner);
  const timers = createScopes(CancellationScope.current().parent);
  const fire = (id: string): void => {
    timers.close(id);
    deps.inbox.push({ kind: 'timer', id });
  };
  return {
    ...calls,
    perform(effect, attachJournal) {
      switch (effect.kind) {
        case 'call':
          return calls.make({ effect, attachJournal });
        case 'timer':
          return startTimer(timers, effect, fire);
        case 'cancel.timer':
          timers.cancel(effect.id);
          return timers.close(effect.id);
        case 'cancel.call':
          return calls.cancel(effect.key);
        case 'cancel.calls':
          return calls.cancelAll();
      }
    },
  };
}

function startTimer(scopes: Scopes, { id, fireAt, summary }: TimerEffect, fire: (id: string) => void): void {
  void scopes
    .open(id, () => sleep(Math.max(1, fireAt - Date.now()), { summary }))
    .then(
      () => fire(id),
      // Only a cancellation ends a sleep early, and the interpreter expects no occurrence for a canceled timer.
      () => undefined,
    );
}
