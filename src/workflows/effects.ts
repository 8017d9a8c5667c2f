import { CancellationScope, sleep } from '@temporalio/workflow';
import type { CallOutcome, CallTask } from '../activities/calls/call-task.ts';
import { calleeName, isAccountable } from '../graph/run/index.ts';
import type { CallEffect, Effect, OccurrenceBody, Principal, TimerEffect } from '../graph/run/index.ts';
import type { TaskFailure } from '../graph/values/index.ts';
import { activities, reconcileOptions, callOptions } from './activities.ts';
import { callCanceled, isConclusive, toCanceledCallFailure, toTaskFailure } from './failures.ts';
import type { Inbox } from './inbox.ts';
import type { JournalDelivery } from './outbox.ts';
import { createCallThrottle } from './throttle-calls.ts';

/** Packs the journal batch that the activity of a call writes. @returns `null` if there is none */
type AttachJournal = (call: CallEffect) => JournalDelivery | null;

/** Performs the interpreter's effects: calls become activities, timers become Temporal timers. */
export interface Effects {
  perform(effect: Effect, attachJournal: AttachJournal): void;
  /** Number of open calls, deferred ones not included. */
  outstanding(): number;
}

/** The run that calls belong to. */
export interface CallOwner {
  readonly runId: string;
  readonly tenantId: string;
  readonly createdBy: Principal;
}

/**
 * Calls run in the scope that is current at creation. `cancel.calls` cancels this scope, and later calls, such as those
 * of a compensation, run in a new one. Each timer and each cancelable call also has a scope of its own.
 */
export function createEffects(inbox: Inbox, owner: CallOwner): Effects {
  const firstScope = CancellationScope.current();
  let laterScope: CancellationScope | null = null;
  const timers = createScopes();
  const cancelable = createScopes();
  let outstanding = 0;
  const finishCall = (occurrence: OccurrenceBody): void => {
    outstanding -= 1;
    if ('key' in occurrence) cancelable.close(occurrence.key);
    inbox.push(occurrence);
  };
  const fire = (id: string): void => {
    timers.close(id);
    inbox.push({ kind: 'timer', id });
  };
  const startCall = ({ effect, attachJournal }: RequestedCall): void => {
    const packed = { effect, delivery: attachJournal(effect) };
    if (effect.isCancelable) void cancelable.open(effect.key, async () => makeCall(finishCall, owner, packed));
    else makeCall(finishCall, owner, packed);
  };
  const throttle = createCallThrottle<RequestedCall>((requested) =>
    laterScope ? void laterScope.run(async () => startCall(requested)) : startCall(requested),
  );
  const cancelThrottled = (key?: string): void => {
    for (const { effect } of throttle.cancel(key)) finishCall(callCanceled(effect));
  };
  return {
    outstanding: () => outstanding,
    perform(effect, attachJournal) {
      switch (effect.kind) {
        case 'call':
          outstanding += 1;
          return throttle.schedule({ effect, attachJournal });
        case 'timer':
          return startTimer(timers, effect, fire);
        case 'cancel.timer':
          timers.cancel(effect.id);
          return timers.close(effect.id);
        case 'cancel.call':
          cancelThrottled(effect.key);
          return cancelable.cancel(effect.key);
        case 'cancel.calls':
          (laterScope ?? firstScope).cancel();
          cancelThrottled();
          laterScope = new CancellationScope({ cancellable: true, parent: firstScope.parent ?? firstScope });
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

/** Not `async`: every promise in a workflow costs the capture of a stack trace. */
function makeCall(
  finishCall: (occurrence: OccurrenceBody) => void,
  owner: CallOwner,
  { effect, delivery }: PackedCall,
): void {
  const { key } = effect;
  const scope = CancellationScope.current();
  const completeCall = ({ reply, attempts, durationMs }: CallOutcome): void =>
    finishCall({ kind: 'call.completed', key, reply, attempts, durationMs });
  const failCall = (failure: TaskFailure): void => finishCall({ kind: 'call.failed', key, failure });
  void callActivity(effect, { ...owner, journal: delivery?.batch ?? null }).then(
    (outcome) => {
      delivery?.delivered();
      completeCall(outcome);
    },
    (error: unknown) => {
      delivery?.lost();
      const mustAskLedger = scope.consideredCancelled && isAccountable(effect) && !isConclusive(error);
      if (!mustAskLedger) return failCall(toTaskFailure(effect, error));
      return void reconcile(effect, owner).then(completeCall, (answer: unknown) =>
        failCall(toCanceledCallFailure(effect, answer)),
      );
    },
  );
}

function reconcile(
  { key, takeover, node, index, request, summary }: CallEffect,
  owner: CallOwner,
): Promise<CallOutcome> {
  const { runId, tenantId } = owner;
  const call = {
    key,
    takeover,
    node,
    ...(index !== undefined && { index }),
    runId,
    tenantId,
    called: calleeName(request),
  };
  const { heartbeatMs } = request.policy;
  return CancellationScope.nonCancellable(() =>
    activities.reconcileCall.executeWithOptions(reconcileOptions(summary), [{ ...call, heartbeatMs }]),
  );
}

function callActivity(effect: CallEffect, owner: CallOwner & Pick<CallTask, 'journal'>): Promise<CallOutcome> {
  const { key, takeover, node, index, isCompensable, shapedBy, request } = effect;
  const options = callOptions(effect);
  const task = {
    key,
    takeover,
    node,
    ...(index !== undefined && { index }),
    ...(isCompensable && { isCompensable }),
    ...(shapedBy && { shapedBy }),
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

function startTimer(scopes: Scopes, { id, fireAt, summary }: TimerEffect, fire: (id: string) => void): void {
  void scopes
    .open(id, () => sleep(Math.max(1, fireAt - Date.now()), { summary }))
    .then(
      () => fire(id),
      // Only a cancellation ends a sleep early, and the interpreter expects no occurrence for a canceled timer.
      () => undefined,
    );
}

/** Cancellation scopes by key, for effects that are canceled one by one. */
export interface Scopes {
  /** @returns the result of `begin`; rejects when the scope is canceled */
  open<T>(key: string, begin: () => Promise<T>): Promise<T>;
  cancel(key: string): void;
  /** Forgets a finished scope. */
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
