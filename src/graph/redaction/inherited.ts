import type { ResumePoint } from '../journal/resume-point.ts';
import type { Redaction } from './redaction.ts';

/** What is hidden of all that a run takes over from another one, by the places where that has it. */
export type Inherited = Partial<Omit<Redaction, 'stacks'>>;

/** The parts of a resume point that hold values. */
type Carried = Pick<ResumePoint, 'triggers' | 'deferred' | 'bufferedEvents'>;

/** Returns what is hidden of what a fork takes over: channels, and the items and events of its resume point. */
export function inheritedByFork(
  { channels, items = [], events }: Redaction,
  { triggers, deferred, bufferedEvents }: Carried,
): Inherited {
  const carried = new Set([...triggers, ...deferred].flatMap(({ node, element }) => (element ? [node] : [])));
  return {
    channels,
    items: items.filter((node) => carried.has(node)),
    ...(events && bufferedEvents.length > 0 && { events }),
  };
}

/**
 * Returns what is hidden of what a replay takes over: how its run began, and the answers that its nodes have got.
 * @param begun where a fork began; `null`: the run is none
 */
export function inheritedByReplay(redaction: Redaction, begun: Carried | null): Inherited {
  const { channels, nodes, graphs } = redaction;
  return { channels, ...(begun && inheritedByFork(redaction, begun)), nodes, graphs };
}
