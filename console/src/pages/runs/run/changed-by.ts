import type { Checkpoint } from 'holdfast/client';
import type { RunEvent } from '../data/history.ts';

/** A change of a channel that led to a checkpoint, and its author. */
export interface ChannelChange {
  readonly channel: string;
  /** A node, with the number of its element, or a person. */
  readonly by: string;
}

/** Finds the changes that led to each checkpoint of a run's own graph, by its id. */
export function changedBy(events: readonly RunEvent[]): ReadonlyMap<string, readonly ChannelChange[]> {
  const found = new Map<string, readonly ChannelChange[]>();
  let changes: ChannelChange[] = [];
  for (const event of events) {
    if (event.path && event.path.length > 0) continue;
    if (event.type === 'checkpoint.saved') {
      found.set(event.checkpoint, changes);
      changes = [];
    } else changes.push(...changesOf(event));
  }
  return found;
}

function changesOf(event: RunEvent): readonly ChannelChange[] {
  if (event.type === 'state.updated') return toChanges(event.values, event.by);
  if (event.type !== 'node.completed' && event.type !== 'node.skipped') return [];
  const element = event.index === undefined ? '' : `[${event.index}]`;
  return toChanges(event.update, `${event.node}${element}`);
}

/** Reads the channels of an update; a redacted update may be a text. */
function toChanges(update: unknown, by: string): readonly ChannelChange[] {
  if (typeof update !== 'object' || update === null) return [];
  return Object.keys(update).map((channel) => ({ channel, by }));
}

const SOURCES: Readonly<Record<Checkpoint['source'], string>> = {
  input: 'the input',
  loop: 'a superstep',
  update: 'a correction',
  fork: 'the fork',
};

/** Describes a checkpoint in one line. */
export function describeCheckpoint({ step, source, next }: Checkpoint): string {
  const after = source === 'loop' ? `superstep ${step}` : SOURCES[source];
  return `after ${after}${next.length > 0 ? `, before ${next.join(', ')}` : ', at the end'}`;
}
