import { CancellationScope, sleep } from '@temporalio/workflow';
import type { CallOutcome, CallTask } from '../activities/call-task.ts';
import type { CallEffect, Effect, TimerEffect } from '../graph/effect.ts';
import type { Principal } from '../graph/run.ts';
import { activities, callOptions } from './activities.ts';
import { toTaskFailure } from './failures.ts';
import type { Inbox } from './inbox.ts';
import type { JournalParcel } from './journal.ts';

/** Makes what the interpreter wants done happen: calls become activities, waits become timers. */
export interface Effects {
  /** @param carry packs what the activity of a call writes into the journal on its way */
  perform(effect: Effect, carry: (call: CallEffect) => JournalParcel | null): void;
}

/** Whose calls they are. */
export interface CallOwner {
  readonly runId: string;
  readonly tenantId: string;
  readonly createdBy: Principal;
}

/**
 * Calls belong to the scope that is current now, which is canceled to call them back; what is called after that, to undo
 * things, to one of its own. So does each timer.
 */
export function createEffects(inbox: Inbox, owner: CallOwner): Effects {
  const first = CancellationScope.current();
  let later: CancellationScope | null = null;
  const timers = new Map<string, CancellationScope>();
  return {
    perform(effect, carry) {
      switch (effect.kind) {
        case 'call':
          return later
            ? void later.run(async () => call(inbox, owner, { effect, parcel: carry(effect) }))
            : call(inbox, owner, { effect, parcel: carry(effect) });
        case 'timer':
          return void timers.set(effect.id, startTimer(inbox, effect));
        case 'cancel.timer':
          timers.get(effect.id)?.cancel();
          return void timers.delete(effect.id);
        case 'cancel.calls':
          (later ?? first).cancel();
          later = new CancellationScope({ cancellable: true, parent: first.parent ?? first });
          return undefined;
      }
    },
  };
}

interface PackedCall {
  readonly effect: CallEffect;
  readonly parcel: JournalParcel | null;
}

/** Without `async`: in a workflow every promise costs the capture of a stack trace. */
function call(inbox: Inbox, owner: CallOwner, { effect, parcel }: PackedCall): void {
  const { key, request } = effect;
  void schedule(effect, { ...owner, journal: parcel?.batch ?? null }).then(
    ({ reply, attempts, durationMs }) => {
      parcel?.delivered();
      inbox.push({ kind: 'call.completed', key, reply, attempts, durationMs });
    },
    (error: unknown) => {
      parcel?.lost();
      inbox.push({ kind: 'call.failed', key, failure: toTaskFailure(request, error) });
    },
  );
}

function schedule(effect: CallEffect, owner: CallOwner & Pick<CallTask, 'journal'>): Promise<CallOutcome> {
  const { key, order, node, request } = effect;
  const options = callOptions(effect);
  const task = { key, order, node, ...owner };
  switch (request.kind) {
    case 'model':
      return activities.callModel.executeWithOptions(options, [{ ...task, request }]);
    case 'tool':
      return activities.callTool.executeWithOptions(options, [{ ...task, request }]);
    case 'function':
      return activities.callFunction.executeWithOptions(options, [{ ...task, request }]);
    case 'node':
      return activities.callNode.executeWithOptions(options, [{ ...task, request }]);
  }
}

function startTimer(inbox: Inbox, { id, fireAt, summary }: TimerEffect): CancellationScope {
  const scope = new CancellationScope();
  void scope
    .run(() => sleep(Math.max(1, fireAt - Date.now()), { summary }))
    .then(
      () => inbox.push({ kind: 'timer', id }),
      // Only a cancellation ends a sleep early, and who cancels a timer doesn't wait for it.
      () => undefined,
    );
  return scope;
}
