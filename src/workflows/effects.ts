import { CancellationScope, sleep } from '@temporalio/workflow';
import type { CallOutcome, CallTask } from '../activities/calls/call-task.ts';
import { calledBy, mustReconcile } from '../graph/run/index.ts';
import type { CallEffect, Effect, OccurrenceBody, Principal, TimerEffect } from '../graph/run/index.ts';
import { activities, settlingOptions, callOptions } from './activities.ts';
import { callCanceled, isAccountedFor, toTaskFailure } from './failures.ts';
import type { Inbox } from './inbox.ts';
import type { JournalDelivery } from './outbox.ts';
import { createCallThrottle } from './throttle-calls.ts';

/** Packs what the activity of a call writes into the journal on its way. */
type AttachJournal = (call: CallEffect) => JournalDelivery | null;

/** Makes what the interpreter wants done happen: calls become activities, waits become timers. */
export interface Effects {
  perform(effect: Effect, carry: AttachJournal): void;
  /** How many calls are out. */
  outstanding(): number;
}

/** Whose calls they are. */
export interface CallOwner {
  readonly runId: string;
  readonly tenantId: string;
  readonly createdBy: Principal;
}

/**
 * Calls belong to the scope that is current now, which is canceled to call them back; what is called after that, to undo
 * things, to one of its own. So does each timer, and each call that may be called back alone.
 */
export function createEffects(inbox: Inbox, owner: CallOwner): Effects {
  const first = CancellationScope.current();
  let later: CancellationScope | null = null;
  const timers = createScopes();
  const cancelable = createScopes();
  let outstanding = 0;
  const settled = (occurrence: OccurrenceBody): void => {
    outstanding -= 1;
    if ('key' in occurrence) cancelable.close(occurrence.key);
    inbox.push(occurrence);
  };
  const fired = (id: string): void => {
    timers.close(id);
    inbox.push({ kind: 'timer', id });
  };
  const begin = ({ effect, attachJournal }: RequestedCall): void => {
    const packed = { effect, delivery: attachJournal(effect) };
    if (effect.isCancelable) void cancelable.open(effect.key, async () => call(settled, owner, packed));
    else call(settled, owner, packed);
  };
  const throttle = createCallThrottle<RequestedCall>((requested) =>
    later ? void later.run(async () => begin(requested)) : begin(requested),
  );
  const cancelWaiting = (wanted?: string): void => {
    for (const { effect } of throttle.cancel(wanted)) settled(callCanceled(effect.key));
  };
  return {
    outstanding: () => outstanding,
    perform(effect, attachJournal) {
      switch (effect.kind) {
        case 'call':
          outstanding += 1;
          return throttle.schedule({ effect, attachJournal });
        case 'timer':
          return startTimer(timers, effect, fired);
        case 'cancel.timer':
          timers.cancel(effect.id);
          return timers.close(effect.id);
        case 'cancel.call':
          cancelWaiting(effect.key);
          return cancelable.cancel(effect.key);
        case 'cancel.calls':
          (later ?? first).cancel();
          cancelWaiting();
          later = new CancellationScope({ cancellable: true, parent: first.parent ?? first });
          return undefined;
      }
    },
  };
}

interface RequestedCall {
  readonly effect: CallEffect;
  readonly attachJournal: AttachJournal;
}

interface PackedCall {
  readonly effect: CallEffect;
  readonly delivery: JournalDelivery | null;
}

/** Without `async`: in a workflow every promise costs the capture of a stack trace. */
function call(settled: (occurrence: OccurrenceBody) => void, owner: CallOwner, { effect, delivery }: PackedCall): void {
  const { key, request } = effect;
  const scope = CancellationScope.current();
  const complete = ({ reply, attempts, durationMs }: CallOutcome): void =>
    settled({ kind: 'call.completed', key, reply, attempts, durationMs });
  const fail = (error: unknown): void => settled({ kind: 'call.failed', key, failure: toTaskFailure(request, error) });
  void schedule(effect, { ...owner, journal: delivery?.batch ?? null }).then(
    (outcome) => {
      delivery?.delivered();
      complete(outcome);
    },
    (error: unknown) => {
      delivery?.lost();
      const isLeft = scope.consideredCancelled && mustReconcile(effect) && !isAccountedFor(error);
      if (isLeft) void settle(effect, owner).then(complete, fail);
      else fail(error);
    },
  );
}

function settle({ key, takeover, node, index, request, summary }: CallEffect, owner: CallOwner): Promise<CallOutcome> {
  const { runId, tenantId } = owner;
  const { kind, name } = calledBy(request);
  const call = {
    key,
    takeover,
    node,
    ...(index !== undefined && { index }),
    runId,
    tenantId,
    called: `${kind}:${name}`,
  };
  const { heartbeatMs } = request.policy;
  return CancellationScope.nonCancellable(() =>
    activities.reconcileCall.executeWithOptions(settlingOptions(summary), [{ ...call, heartbeatMs }]),
  );
}

function schedule(effect: CallEffect, owner: CallOwner & Pick<CallTask, 'journal'>): Promise<CallOutcome> {
  const { key, takeover, node, index, isCompensable, request } = effect;
  const options = callOptions(effect);
  const task = {
    key,
    takeover,
    node,
    ...(index !== undefined && { index }),
    ...(isCompensable && { isCompensable }),
    ...owner,
  };
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

function startTimer(scopes: Scopes, { id, fireAt, summary }: TimerEffect, fired: (id: string) => void): void {
  void scopes
    .open(id, () => sleep(Math.max(1, fireAt - Date.now()), { summary }))
    .then(
      () => fired(id),
      // Only a cancellation ends a sleep early, and who cancels a timer doesn't wait for it.
      () => undefined,
    );
}

/** Scopes of what may be canceled alone, by key. */
export interface Scopes {
  /** @returns what it comes to; rejected when it is canceled */
  open<T>(key: string, begin: () => Promise<T>): Promise<T>;
  cancel(key: string): void;
  /** Forgets one that is over. */
  close(key: string): void;
}

function createScopes(): Scopes {
  const scopes = new Map<string, CancellationScope>();
  return {
    open(key, begin) {
      const scope = new CancellationScope();
      scopes.set(key, scope);
      return scope.run(begin);
    },
    cancel: (key) => scopes.get(key)?.cancel(),
    close: (key) => void scopes.delete(key),
  };
}
