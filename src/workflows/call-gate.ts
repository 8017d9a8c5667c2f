import type { LocalTraces } from '../activities/calls/call-task.ts';
import type { JournalBatch } from '../graph/journal/index.ts';
import { isLocalCall } from '../graph/run/index.ts';
import type { CallEffect, LocalEffect } from '../graph/run/index.ts';
import type { ContinueAsNewPolicy } from './continue-as-new.ts';
import { createLocalBursts } from './local-bursts.ts';
import type { KnownEnd, LocalBursts } from './local-bursts.ts';
import { createRequestRoom } from './request-room.ts';
import type { RequestRoom } from './request-room.ts';

/** A call that a local activity makes. */
export interface LocalCall {
  readonly kind: 'local';
  readonly effect: LocalEffect;
}

/** A call that an activity makes. */
export interface ActivityCall {
  readonly kind: 'activity';
  readonly effect: CallEffect;
  /** The traces of its local attempts; `null` if there were none. */
  readonly left: LocalTraces | null;
}

/** A call on its way to its activity. */
export type PlannedCall = LocalCall | ActivityCall;

/** The time at which a call may begin. */
type CallBeginning =
  | 'now'
  /** After the open local calls have ended. */
  | 'after-local-calls'
  | 'in-later-task';

/** Decides when the calls of a run begin, and keeps those that have not begun. Calls of one kind begin in their order. */
export interface CallGate {
  /** Takes a call that the interpreter wants. @returns false if the call is left to the next execution */
  request(effect: CallEffect): boolean;
  /** Continues a local call in an activity. */
  continueInActivity(call: ActivityCall): void;
  /** Records the end of a local call. */
  endLocal(call: LocalCall, end: KnownEnd): void;
  /** Records that another workflow task has begun, because a message of the server has arrived. */
  enterTask(): void;
  /** True while local calls are open or wait. */
  isCallingLocally(): boolean;
  /** Cancels the calls that have not begun: all, or the one with this key. @returns the canceled calls */
  cancel(key?: string): CanceledCalls;
  /** The calls that the next execution makes. */
  deferred(): readonly CallEffect[];
}

/** Canceled calls that had not begun. */
interface CanceledCalls {
  /** The calls that were left to the next execution. */
  readonly deferred: readonly CallEffect[];
  /** The calls that this execution would have made. */
  readonly waiting: readonly CallEffect[];
}

interface CallGateDeps {
  readonly continueAsNewPolicy: Pick<ContinueAsNewPolicy, 'defersCalls'>;
  /** Returns the number of calls of this execution that have not ended. */
  readonly openCalls: () => number;
  /** Returns the length of the history, in events. */
  readonly historyLength: () => number;
  /** Begins a call. @returns the journal batch that travels with it */
  readonly begin: (call: PlannedCall) => JournalBatch | null;
  /** Ends the workflow task, and calls `resume` in a later one. */
  readonly inLaterTask: Readonly<Record<PlannedCall['kind'], (resume: () => void) => void>>;
}

export function createCallGate(deps: CallGateDeps): CallGate {
  const bursts = createLocalBursts<PlannedCall>();
  const room = createRequestRoom(deps.historyLength);
  let deferred: CallEffect[] = [];
  const mayBegin = createMayBegin(bursts, room);
  const begin = (call: PlannedCall): void => {
    if (call.kind === 'local') bursts.begin(call);
    const batch = deps.begin(call);
    if (call.kind === 'activity') room.take(call.effect.request, batch);
  };
  const inLaterBurst = (resume: () => void): void =>
    deps.inLaterTask.local(() => {
      bursts.enterTask();
      resume();
    });
  const localCalls = createCallQueue({ mayBegin, begin, inLaterTask: inLaterBurst });
  const activityCalls = createCallQueue({ mayBegin, begin, inLaterTask: deps.inLaterTask.activity });
  const requestActivity = (call: ActivityCall): void => {
    bursts.endAfterOpenCalls();
    activityCalls.add(call);
  };
  return {
    request(effect) {
      const isDeferred = deps.continueAsNewPolicy.defersCalls(deps.openCalls());
      if (isDeferred) deferred.push(effect);
      else if (isLocalCall(effect)) localCalls.add({ kind: 'local', effect });
      else requestActivity({ kind: 'activity', effect, left: null });
      return !isDeferred;
    },
    continueInActivity: requestActivity,
    endLocal(call, end) {
      if (bursts.end(call, end)) localCalls.beginWaiting();
    },
    enterTask: () => bursts.enterTask(),
    isCallingLocally: () => bursts.isOpen() || !localCalls.isEmpty(),
    cancel(key) {
      const canceled = deferred.filter((effect) => matchesKey(effect, key));
      deferred = deferred.filter((effect) => !matchesKey(effect, key));
      return { deferred: canceled, waiting: [...activityCalls.cancel(key), ...localCalls.cancel(key)] };
    },
    deferred: () => deferred,
  };
}

/** Decides when a call begins that is not left to the next execution. */
type MayBegin = (call: PlannedCall) => CallBeginning;

function createMayBegin(
  bursts: Pick<LocalBursts<PlannedCall>, 'hasRoom' | 'isOpen'>,
  room: Pick<RequestRoom, 'fits'>,
): MayBegin {
  return (call) => {
    if (call.kind === 'activity') return room.fits(call.effect.request) ? 'now' : 'in-later-task';
    if (bursts.hasRoom()) return 'now';
    return bursts.isOpen() ? 'after-local-calls' : 'in-later-task';
  };
}

/** Calls that begin in their order. */
interface CallQueue {
  /** Adds a call, and begins those that may begin. */
  add(call: PlannedCall): void;
  beginWaiting(): void;
  isEmpty(): boolean;
  /** Removes all calls, or the one with this key, and returns them. */
  cancel(key?: string): readonly CallEffect[];
}

interface CallQueueDeps {
  readonly begin: (call: PlannedCall) => void;
  readonly mayBegin: MayBegin;
  readonly inLaterTask: (resume: () => void) => void;
}

function createCallQueue({ mayBegin, begin, inLaterTask }: CallQueueDeps): CallQueue {
  let waiting: PlannedCall[] = [];
  /** True if the workflow task must end before the next call begins. */
  let isPausing = false;
  const resume = (): void => {
    isPausing = false;
    beginWaiting();
  };
  const beginWaiting = (): void => {
    for (let next = waiting[0]; next && !isPausing; next = waiting[0]) {
      const when = mayBegin(next);
      isPausing = when === 'in-later-task';
      if (isPausing) inLaterTask(resume);
      if (when !== 'now') return;
      waiting.shift();
      begin(next);
    }
  };
  return {
    add(call) {
      waiting.push(call);
      beginWaiting();
    },
    beginWaiting,
    isEmpty: () => waiting.length === 0,
    cancel(key) {
      const canceled = waiting.filter(({ effect }) => matchesKey(effect, key));
      waiting = waiting.filter(({ effect }) => !matchesKey(effect, key));
      return canceled.map(({ effect }) => effect);
    },
  };
}

/** True if the call has this key; without a key, true for every call. */
function matchesKey(call: CallEffect, key: string | undefined): boolean {
  return key === undefined || call.key === key;
}
