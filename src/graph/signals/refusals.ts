import type { Draft } from '../draft/draft.ts';
import type { Refusal } from '../run/occurrence.ts';
import { statusOf, undoneWork } from '../run/status.ts';
import type { RunStatus } from '../run/status.ts';
import { describeUndone } from '../run/compensation.ts';
import { didYouMean } from '../values/did-you-mean.ts';
import { own } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { tasksOfRun } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { toActor, refuseDecidingAlone } from '../lifecycle/gated-nodes.ts';
import type { Decidable } from '../lifecycle/gated-nodes.ts';
import type { Principal } from '../run/principal.ts';
import { tasksOfScope } from '../run/scope-position.ts';
import type { NodePosition, TaskState } from '../run/scope.ts';
import { approvalsAtPosition, scopeInside, hasResumableProgress } from '../run/task-position.ts';

/**
 * Refuses an action in any other status of the run.
 * @param what the action as a participle, such as "replanned"
 */
export function refuseUnlessStatus({ run }: Draft, statuses: readonly RunStatus[], what: string): Refusal | null {
  const status = statusOf(run);
  if (statuses.includes(status)) return null;
  return {
    code: 'NOT_ALLOWED_NOW',
    message: `The run is ${status}; it is ${what} while it is ${listAlternatives(statuses)}`,
  };
}

/**
 * The time since which the subject of a control has existed, as its sender has read it: RFC 3339, or `null` for no
 * subject. The API sends it with each control, so that the second of two simultaneous controls does not apply to a
 * state that the first has caused.
 */
export const SINCE = { type: ['string', 'null'] } as const;

/** Refuses a control whose sender has not read the current state. @param since the time since which it has existed */
export function refuseUnread({ since: read }: JsonObject, since: string): Refusal | null {
  if (read === undefined || read === since) return null;
  const message = `The run has changed since it was read: what this is about now stands since ${since}; look at it again`;
  return { code: 'NOT_ALLOWED_NOW', message };
}

/** Refuses a control for another checkpoint than the run's current one. */
export function refuseOtherCheckpoint({ run }: Draft, payload: JsonObject): Refusal | null {
  const { checkpoint } = payload;
  if (checkpoint === undefined || checkpoint === run.checkpointId) return null;
  const message = `The run stands at checkpoint ${run.checkpointId}, not ${JSON.stringify(checkpoint)}`;
  return { code: 'NOT_ALLOWED_NOW', message };
}

/** Lists names in an English sentence: "a", "a or b", "a, b, or c". */
function listAlternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  if (names.length <= 2) return names.join(' or ');
  return `${names.slice(0, -1).join(', ')}, or ${last}`;
}

/** Refuses to continue a compensated run, because its later work would rely on compensated calls. */
export function refuseCompensated({ run }: Draft): Refusal | null {
  const undone = undoneWork(run);
  if (!undone) return null;
  const nodes = describeUndone(undone);
  const message = `The run has been compensated, so its later work would rely on calls that are undone (${nodes}); start a new run, or fork this one at a checkpoint of a step before ${undone.since}`;
  return { code: 'NOT_ALLOWED_NOW', message };
}

/**
 * Refuses the name of a node that the graph does not have.
 * @param path the JSON Pointer of the node's name in the payload
 */
export function refuseUnknownNode({ graph }: Draft, node: string, path: string): Refusal | null {
  if (graph.nodes.has(node)) return null;
  const message = `There is no node "${node}".${didYouMean(node, graph.nodes.keys())}`;
  return { code: 'MALFORMED', message, issues: [{ path, message }] };
}

/**
 * Requires the permission to decide from a person who bypasses an approval, even if the approval was canceled with its
 * run or task.
 * @param tasks the bypassed tasks; defaults to all of the run
 * @returns the reason for a refusal
 */
export function refuseBypass(
  draft: Draft,
  by: Principal,
  tasks: readonly TaskHandle[] = tasksOfRun(draft),
): Refusal | null {
  const actor = toActor(draft, by);
  for (const id of tasks.flatMap(({ task: { state } }) => approvalsOfTask(state))) {
    const refusal = refuseDecidingAlone(own(draft.run.approvals, id) ?? droppedApproval(draft), actor);
    if (refusal) return refusal;
  }
  return null;
}

/** Returns the approvals requested so far by a task and the tasks inside it. */
function approvalsOfTask(state: TaskState): readonly string[] {
  if (state.phase === 'open') return approvalsOfPosition(state.position);
  return hasResumableProgress(state) ? approvalsOfPosition(state.saved) : [];
}

function approvalsOfPosition(position: NodePosition): readonly string[] {
  const inside = scopeInside(position);
  const tasks = inside ? tasksOfScope(inside) : [];
  return [...approvalsAtPosition(position), ...tasks.flatMap(({ state }) => approvalsOfTask(state))];
}

/** Replaces an approval that the run no longer holds by one with an empty policy. */
function droppedApproval({ timestamp }: Draft): Decidable {
  return { policy: {}, requestedAt: timestamp };
}
