import type { Refusal } from '../run/refusal.ts';
import { hasEnded, statusOf } from '../run/status.ts';
import type { RunStatus } from '../run/status.ts';
import type { Draft } from '../superstep/draft.ts';
import { didYouMean } from '../values/text.ts';

/** @param what the action as a participle, such as "replanned" */
export function refuseUnless({ run }: Draft, statuses: readonly RunStatus[], what: string): Refusal | null {
  const status = statusOf(run);
  if (statuses.includes(status)) return null;
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(statuses);
  return { code: 'NOT_ALLOWED_NOW', message: `The run is ${status}; it is ${what} while it is ${list}` };
}

/** Refuses to continue a compensated run, because its later work would rely on undone work. */
export function refuseUndone({ run }: Draft): Refusal | null {
  if (!hasEnded(run) || run.compensation.doneCount === 0) return null;
  const message = 'What the run had done has been undone; start it anew, or fork it from where that had not been done';
  return { code: 'NOT_ALLOWED_NOW', message };
}

/** @param path the JSON Pointer of the node's name in the payload */
export function refuseUnknownNode({ graph }: Draft, node: string, path: string): Refusal | null {
  if (graph.nodes.has(node)) return null;
  const message = `There is no node "${node}".${didYouMean(node, graph.nodes.keys())}`;
  return { code: 'MALFORMED', message, issues: [{ path, message }] };
}
