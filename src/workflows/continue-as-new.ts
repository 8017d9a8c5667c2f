import { workflowInfo, makeContinueAsNewFunc } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import type { CallEffect, OccurrenceBody, Run } from '../graph/run/index.ts';
import { hasEnded } from '../graph/run/index.ts';
import type { Json } from '../graph/values/index.ts';
import { UPGRADE } from './contract.ts';
import type { WorkflowInput } from './contract.ts';
import type { Effects } from './effects.ts';
import type { Inbox } from './inbox.ts';
import type { Outbox } from './outbox.ts';
import type { Recorder } from './recorder.ts';
import { isMeant } from './throttle-calls.ts';

/** When a run goes on in another execution, and which calls are left to that one. */
export interface ContinueAsNew {
  /** Looks at what has come. @returns whether it is about the workflow alone: somebody wants another worker version */
  notice(occurrence: OccurrenceBody): boolean;
  /** Keeps a call for the next execution, where this one makes none any more. @returns whether it did */
  defer(call: CallEffect): boolean;
  /** Takes back what is kept, or one call of it. */
  cancelDeferred(key?: string): readonly CallEffect[];
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
export function createContinueAsNew(
  continueAfter: number,
  { effects, recorder, outbox, inbox }: Surroundings,
): ContinueAsNew {
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
      const due = continueAsNewDue({ continueAfter, isUpgrading });
      const isDeferred = due === 'now' || (due === 'soon' && effects.outstanding() === 0);
      if (isDeferred) deferred.push(call);
      return isDeferred;
    },
    cancelDeferred(key) {
      const withdrawn = deferred.filter((call) => isMeant(call, key));
      deferred = deferred.filter((call) => !isMeant(call, key));
      return withdrawn;
    },
    deferred: () => deferred,
    isDue(run) {
      const due = continueAsNewDue({ continueAfter, isUpgrading });
      const isQuiet = effects.outstanding() === 0 && !recorder.isFlushing() && inbox.isEmpty();
      if (!hasMoved || !isQuiet || hasEnded(run)) return false;
      return due === 'now' || (due === 'soon' && (!recorder.isUrgent() || outbox.isEmpty()));
    },
  };
}

/** Histories of this size go on in a new execution as soon as nothing is out. The server suggests it, too. */
const MAX_BYTES = 3_000_000;

/** From here on nothing new is begun, so that nothing is out soon. */
const URGENT_EVENTS = 10_000;

/** What a run wants of continuing, besides what its history says. */
export interface ContinueAsNewReasons {
  /** Events. */
  readonly continueAfter: number;
  /** Somebody wants it to go on under another worker version. */
  readonly isUpgrading: boolean;
}

/**
 * Whether a run should go on in a new execution: a history can't grow without end, and a worker version should not have
 * to live as long as a run that waits for a person.
 * @returns `soon`: as soon as no activity is out; `now`: none should be begun any more
 */
function continueAsNewDue({ continueAfter, isUpgrading }: ContinueAsNewReasons): 'no' | 'soon' | 'now' {
  const { historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
  if (historyLength >= URGENT_EVENTS) return 'now';
  const isLong = continueAsNewSuggested || historyLength >= continueAfter || historySize >= MAX_BYTES;
  return isLong || isUpgrading || targetWorkerDeploymentVersionChanged ? 'soon' : 'no';
}

/**
 * Goes on as a new execution, under the worker version that is current then. A server before 1.31 has a pinned workflow
 * followed by a pinned one whatever the command says, unless the task that gives the command says that it is none.
 */
export async function continueAsNew(input: WorkflowInput): Promise<never> {
  if (isVersioned()) Object.assign(getActivator(), { versioningBehavior: 'AUTO_UPGRADE' });
  const next = makeContinueAsNewFunc<(input: WorkflowInput) => Promise<Json>>({
    initialVersioningBehavior: 'AUTO_UPGRADE',
  });
  return await next(input);
}

/** Unversioned workers may not speak of versions. */
function isVersioned(): boolean {
  return (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') !== '';
}
