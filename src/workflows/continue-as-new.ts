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
import type { JournalFlusher } from './journal-flusher.ts';
import { matchesKey } from './calls/waiting-calls.ts';

/** Decides when a run continues in a new execution, and keeps the calls deferred to that execution. */
export interface ContinueAsNewPolicy {
  /** Takes note of an occurrence. @returns true for `upgrade`, which concerns the workflow and not its run */
  observe(occurrence: OccurrenceBody): boolean;
  /** Defers a call to the next execution if this one should begin no more. @returns true if it is deferred */
  defer(call: CallEffect): boolean;
  /** Cancels all deferred calls, or the one with this key. @returns the canceled ones */
  cancelDeferred(key?: string): readonly CallEffect[];
  /** The calls that the next execution makes. */
  deferred(): readonly CallEffect[];
  /**
   * True if the run must continue as new now. Nothing is lost: the inbox is empty, and a signal that arrives meanwhile
   * makes the server reject the command and schedule another workflow task.
   */
  isDue(run: Run): boolean;
}

interface ContinueAsNewDeps {
  readonly effects: Effects;
  readonly flusher: JournalFlusher;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
}

/** @param continueAfter length of a history, in events */
export function createContinueAsNewPolicy(
  continueAfter: number,
  { effects, flusher, outbox, inbox }: ContinueAsNewDeps,
): ContinueAsNewPolicy {
  let deferred: CallEffect[] = [];
  /** True once this execution has handled an occurrence. It prevents executions that only continue as new. */
  let hasProgressed = false;
  /** A person has asked for the current worker version. */
  let isUpgrading = false;
  return {
    observe(occurrence) {
      hasProgressed ||= occurrence.kind !== 'continue';
      const isUpgrade = occurrence.kind === 'signal' && occurrence.name === UPGRADE;
      isUpgrading ||= isUpgrade;
      return isUpgrade;
    },
    defer(call) {
      if (!hasProgressed) return false;
      const due = continueAsNewDue({ continueAfter, isUpgrading });
      const isDeferred = due === 'now' || (due === 'soon' && effects.outstanding() === 0);
      if (isDeferred) deferred.push(call);
      return isDeferred;
    },
    cancelDeferred(key) {
      const canceled = deferred.filter((call) => matchesKey(call, key));
      deferred = deferred.filter((call) => !matchesKey(call, key));
      return canceled;
    },
    deferred: () => deferred,
    isDue(run) {
      const due = continueAsNewDue({ continueAfter, isUpgrading });
      const isIdle = effects.outstanding() === 0 && !flusher.isFlushing() && inbox.isEmpty();
      if (!hasProgressed || !isIdle || hasEnded(run)) return false;
      return due === 'now' || (due === 'soon' && (!flusher.isUrgent() || !outbox.hasEvents()));
    },
  };
}

/** Histories of this size, in bytes, continue as new once no activity is open. The server suggests it, too. */
const MAX_HISTORY_BYTES = 3_000_000;

/** From this length on no new call is made, so that soon no activity is open. */
const URGENT_EVENTS = 10_000;

/** Reasons to continue as new that the history does not show. */
export interface ContinueAsNewReasons {
  /** Length of a history, in events. */
  readonly continueAfter: number;
  /** A person has asked for the current worker version. */
  readonly isUpgrading: boolean;
}

/**
 * Decides if a run should continue as new: histories have a limit, and a worker version must not stay alive for a run
 * that waits for a person.
 * @returns `soon`: once no activity is open; `now`: begin no further activity
 */
function continueAsNewDue({ continueAfter, isUpgrading }: ContinueAsNewReasons): 'no' | 'soon' | 'now' {
  const { historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
  if (historyLength >= URGENT_EVENTS) return 'now';
  const isLong = continueAsNewSuggested || historyLength >= continueAfter || historySize >= MAX_HISTORY_BYTES;
  return isLong || isUpgrading || targetWorkerDeploymentVersionChanged ? 'soon' : 'no';
}

/**
 * Continues as new, under the worker version that is current then. A server before 1.31 keeps a pinned workflow pinned
 * whatever the command says, unless its workflow task reports another behavior.
 */
export async function continueAsNew(input: WorkflowInput): Promise<never> {
  if (isVersioned()) Object.assign(getActivator(), { versioningBehavior: 'AUTO_UPGRADE' });
  const next = makeContinueAsNewFunc<(input: WorkflowInput) => Promise<Json>>({
    initialVersioningBehavior: 'AUTO_UPGRADE',
  });
  return await next(input);
}

/** An unversioned worker must not name a version. */
function isVersioned(): boolean {
  return (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') !== '';
}
