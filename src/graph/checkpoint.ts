import type { ChannelChange } from './channels/apply-writes.ts';
import type { Json } from './json.ts';

/**
 * A point of a run that can be looked at again. It holds what changed since its parent, so that storage grows with what
 * a run writes, not with what it holds.
 */
export interface Checkpoint {
  readonly id: string;
  readonly parentId: string | null;
  /** The number of the event that announced it. */
  readonly seq: number;
  /** -1 for the input, 0 for the first superstep's result, and so on. */
  readonly step: number;
  readonly source: 'input' | 'loop' | 'update' | 'fork';
  /** The nodes that run next. */
  readonly next: readonly string[];
  readonly createdAt: string;
  readonly changes: Readonly<Record<string, ChannelChange>>;
}

/** The values after a chain of checkpoints, oldest first, beginning at the input. */
export function foldCheckpoints(chain: readonly Pick<Checkpoint, 'changes'>[]): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  const lists = new Map<string, Json[]>();
  for (const { changes } of chain) {
    for (const [channel, change] of Object.entries(changes)) {
      if ('set' in change) {
        values[channel] = change.set;
        lists.delete(channel);
      } else {
        const list = lists.get(channel) ?? ownList(values[channel] ?? null);
        for (const item of change.append) list.push(item);
        lists.set(channel, list);
        values[channel] = list;
      }
    }
  }
  return values;
}

function ownList(value: Json): Json[] {
  return Array.isArray(value) ? [...value] : [];
}
