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
  perform(effect: Effect, carry: () => JournalParcel | null): void;
}

/** Whose calls they are. */
export interface CallOwner {
  readonly runId: string;
  readonly tenantId: string;
  readonly createdBy: Principal;
}

export function createEffects(inbox: Inbox, owner: CallOwner): Effects {
  const scopes = new Map<string, CancellationScope>();
  /** Every effect has a scope of its own, so that it can be taken back alone. */
  const inScope = (id: string, work: () => Promise<void>): void => {
    const scope = new CancellationScope();
    scopes.set(id, scope);
    void scope.run(work).finally(() => scopes.delete(id));
  };
  return {
    perform(effect, carry) {
      switch (effect.kind) {
        case 'call':
          return inScope(`call:${effect.key}`, () => call(inbox, owner, { effect, parcel: carry() }));
        case 'timer':
          return inScope(`timer:${effect.id}`, () => wait(inbox, effect));
        case 'cancel':
          return scopes.get(`${effect.of}:${effect.id}`)?.cancel();
        case 'finish':
          return undefined;
      }
    },
  };
}

interface PackedCall {
  readonly effect: CallEffect;
  /** What the activity writes into the journal on its way. */
  readonly parcel: JournalParcel | null;
}

async function call(inbox: Inbox, owner: CallOwner, { effect, parcel }: PackedCall): Promise<void> {
  const { key } = effect;
  try {
    const { reply, attempts, durationMs } = await schedule(effect, { ...owner, journal: parcel?.batch ?? null });
    parcel?.delivered();
    inbox.push({ kind: 'call.completed', key, reply, attempts, durationMs });
  } catch (error) {
    parcel?.lost();
    inbox.push({ kind: 'call.failed', key, failure: toTaskFailure(effect.request, error), durationMs: 0 });
  }
}

async function schedule(effect: CallEffect, owner: CallOwner & Pick<CallTask, 'journal'>): Promise<CallOutcome> {
  const { key, order, node, request } = effect;
  const options = callOptions(effect);
  const task = { key, order, node, ...owner };
  switch (request.kind) {
    case 'model':
      return await activities.callModel.executeWithOptions(options, [{ ...task, request }]);
    case 'tool':
      return await activities.callTool.executeWithOptions(options, [{ ...task, request }]);
    case 'function':
      return await activities.callFunction.executeWithOptions(options, [{ ...task, request }]);
  }
}

async function wait(inbox: Inbox, { id, fireAt, summary }: TimerEffect): Promise<void> {
  try {
    await sleep(Math.max(1, fireAt - Date.now()), { summary });
    inbox.push({ kind: 'timer', id });
  } catch {
    // Only a cancellation ends a sleep early, and who cancels a timer doesn't wait for it.
  }
}
