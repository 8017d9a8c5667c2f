import { CancellationScope, sleep } from '@temporalio/workflow';
import type { CallOutcome, CallTask } from '../activities/calls/call-task.ts';
import { hasToBeKnown, calledBy } from '../graph/run/call.ts';
import type { CallEffect, Effect, TimerEffect } from '../graph/run/effect.ts';
import type { OccurrenceBody } from '../graph/run/occurrence.ts';
import type { Principal } from '../graph/run/principal.ts';
import { activities, settlingOptions, callOptions } from './activities.ts';
import { callCanceled, isAccountedFor, toTaskFailure } from './failures.ts';
import type { Inbox } from './inbox.ts';
import type { Parcel } from './outbox.ts';
import { createPace } from './throttle-calls.ts';

/** Packs what the activity of a call writes into the journal on its way. */
type Carry = (call: CallEffect) => Parcel | null;

/** Makes what the interpreter wants done happen: calls become activities, waits become timers. */
export interface Effects {
  perform(effect: Effect, carry: Carry): void;
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
  const revocable = createScopes();
  let outstanding = 0;
  const settled = (occurrence: OccurrenceBody): void => {
    outstanding -= 1;
    if ('key' in occurrence) revocable.close(occurrence.key);
    inbox.push(occurrence);
  };
  const fired = (id: string): void => {
    timers.close(id);
    inbox.push({ kind: 'timer', id });
  };
  const begin = ({ effect, carry }: OrderedCall): void => {
    const packed = { effect, parcel: carry(effect) };
    if (effect.isRevocable) void revocable.open(effect.key, async () => call(settled, owner, packed));
    else call(settled, owner, packed);
  };
  const pace = createPace<OrderedCall>((ordered) =>
    later ? void later.run(async () => begin(ordered)) : begin(ordered),
  );
  const withdraw = (wanted?: string): void => {
    for (const { effect } of pace.withdraw(wanted)) settled(callCanceled(effect.key));
  };
  return {
    outstanding: () => outstanding,
    perform(effect, carry) {
      switch (effect.kind) {
        case 'call':
          outstanding += 1;
          return pace.order({ effect, carry });
        case 'timer':
          return startTimer(timers, effect, fired);
        case 'cancel.timer':
          timers.cancel(effect.id);
          return timers.close(effect.id);
        case 'cancel.call':
          withdraw(effect.key);
          return revocable.cancel(effect.key);
        case 'cancel.calls':
          (later ?? first).cancel();
          withdraw();
          later = new CancellationScope({ cancellable: true, parent: first.parent ?? first });
          return undefined;
      }
    },
  };
}

interface OrderedCall {
  readonly effect: CallEffect;
  readonly carry: Carry;
}

interface PackedCall {
  readonly effect: CallEffect;
  readonly parcel: Parcel | null;
}

/** Without `async`: in a workflow every promise costs the capture of a stack trace. */
function call(settled: (occurrence: OccurrenceBody) => void, owner: CallOwner, { effect, parcel }: PackedCall): void {
  const { key, request } = effect;
  const scope = CancellationScope.current();
  const complete = ({ reply, attempts, durationMs }: CallOutcome): void =>
    settled({ kind: 'call.completed', key, reply, attempts, durationMs });
  const fail = (error: unknown): void => settled({ kind: 'call.failed', key, failure: toTaskFailure(request, error) });
  void schedule(effect, { ...owner, journal: parcel?.batch ?? null }).then(
    (outcome) => {
      parcel?.delivered();
      complete(outcome);
    },
    (error: unknown) => {
      parcel?.lost();
      const isLeft = scope.consideredCancelled && hasToBeKnown(effect) && !isAccountedFor(error);
      if (isLeft) void settle(effect, owner).then(complete, fail);
      else fail(error);
    },
  );
}

function settle({ key, order, node, index, request, summary }: CallEffect, owner: CallOwner): Promise<CallOutcome> {
  const { runId, tenantId } = owner;
  const { kind, name } = calledBy(request);
  const call = { key, order, node, ...(index !== undefined && { index }), runId, tenantId, called: `${kind}:${name}` };
  const { heartbeatMs } = request.policy;
  return CancellationScope.nonCancellable(() =>
    activities.settleCall.executeWithOptions(settlingOptions(summary), [{ ...call, heartbeatMs }]),
  );
}

function schedule(effect: CallEffect, owner: CallOwner & Pick<CallTask, 'journal'>): Promise<CallOutcome> {
  const { key, order, node, index, canBeUndone, request } = effect;
  const options = callOptions(effect);
  const task = {
    key,
    order,
    node,
    ...(index !== undefined && { index }),
    ...(canBeUndone && { canBeUndone }),
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

export function createScopes(): Scopes {
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
