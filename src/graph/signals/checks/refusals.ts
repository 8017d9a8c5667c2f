import type { Draft } from '../../draft/draft.ts';
import type { Refusal } from '../../run/refusal.ts';
import { statusOf } from '../../run/status.ts';
import type { RunStatus } from '../../run/status.ts';
import { describeUndone, undoneWork } from '../../run/compensation.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import type { JsonObject } from '../../values/json.ts';

/**
 * Refuses an action in any other status of the run.
 * @param what the action as a participle, such as "replanned"
 */
export function refuseUnlessStatus({ run }: Draft, statuses: readonly RunStatus[], what: string): Refusal | null {
  const status = statusOf(run);
  if (statuses.includes(status)) return null;
  return {
    code: 'NOT_ALLOWED_NOW',
    message: `The run is ${status}; it is ${what} while it is ${alternatives(statuses)}`,
  };
}

/**
 * The time since which something stands that a control is about, as its sender has read it: RFC 3339, or `null` if
 * nothing stood. The API says it with each control, so that of two at once the second counts for nothing that has
 * come about by the first.
 */
export const SINCE = { type: ['string', 'null'] } as const;

/** Refuses a control whose sender has not read what stands now. @param since the time since which that stands */
export function refuseUnread({ since: read }: JsonObject, since: string): Refusal | null {
  if (read === undefined || read === since) return null;
  const message = `The run has changed since it was read: what this is about now stands since ${since}; look at it again`;
  return { code: 'NOT_ALLOWED_NOW', message };
}

/** Refuses a control for another checkpoint than that at which the run stands. */
export function refuseOtherCheckpoint({ run }: Draft, payload: JsonObject): Refusal | null {
  const { checkpoint } = payload;
  if (checkpoint === undefined || checkpoint === run.checkpointId) return null;
  const message = `The run stands at checkpoint ${run.checkpointId}, not ${JSON.stringify(checkpoint)}`;
  return { code: 'NOT_ALLOWED_NOW', message };
}

/** Lists names as English does: "a", "a or b", "a, b, or c". */
function alternatives(names: readonly string[]): string {
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
