import type { CallEffect } from '../graph/effect.ts';
import type { OccurrenceBody } from '../graph/occurrence.ts';
import { isEnded } from '../graph/run.ts';
import type { Run } from '../graph/run.ts';
import { continuationDue } from './continuation.ts';
import { UPGRADE } from './contract.ts';
import type { Effects } from './effects.ts';
import type { Inbox } from './inbox.ts';
import type { Outbox } from './outbox.ts';
import { isMeant } from './pace.ts';
import type { Recorder } from './recorder.ts';

/** When a run goes on in another execution, and which calls are left to that one. */
export interface Succession {
  /** Looks at what has come. @returns whether it is about the workflow alone: somebody wants another worker version */
  notice(occurrence: OccurrenceBody): boolean;
  /** Keeps a call for the next execution, where this one makes none any more. @returns whether it did */
  defer(call: CallEffect): boolean;
  /** Takes back what is kept, or one call of it. */
  withdraw(key?: string): readonly CallEffect[];
  /** Calls that the next execution makes. */
  deferred(): readonly CallEffect[];
  /**
   * Whether the next execution is to begin now. Nothing that happens is lost: what came has been taken in, and what comes
   * now makes the server ask again.
   */
  isDue(run: Run): boolean;
}

interface Surroundings {
  readonly effects: Effects;
  readonly recorder: Recorder;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
}

/** @param continueAfter so many events */
export function createSuccession(
  continueAfter: number,
  { effects, recorder, outbox, inbox }: Surroundings,
): Succession {
  let deferred: CallEffect[] = [];
  /** Something has happened since this execution began. */
  let hasMoved = false;
  /** Somebody wants it to go on under another worker version. */
  let isUpgrading = false;
  return {
    notice(occurrence) {
      hasMoved ||= occurrence.kind !== 'continue';
      const isUpgrade = occurrence.kind === 'signal' && occurrence.name === UPGRADE;
      isUpgrading ||= isUpgrade;
      return isUpgrade;
    },
    defer(call) {
      if (!hasMoved) return false;
      const due = continuationDue({ continueAfter, isUpgrading });
      const isDeferred = due === 'now' || (due === 'soon' && effects.outstanding() === 0);
      if (isDeferred) deferred.push(call);
      return isDeferred;
    },
    withdraw(key) {
      const withdrawn = deferred.filter((call) => isMeant(call, key));
      deferred = deferred.filter((call) => !isMeant(call, key));
      return withdrawn;
    },
    deferred: () => deferred,
    isDue({ status }) {
      const due = continuationDue({ continueAfter, isUpgrading });
      const isQuiet = effects.outstanding() === 0 && !recorder.isOut() && inbox.isEmpty();
      if (!hasMoved || !isQuiet || isEnded(status)) return false;
      return due === 'now' || (due === 'soon' && (!recorder.isUrgent() || outbox.isEmpty()));
    },
  };
}
