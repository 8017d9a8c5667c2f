import type { ChannelChange } from '../channels/apply-writes.ts';
import { OwnedLists } from '../channels/reducer.ts';
import { isJsonList } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import type { ResumePointChange } from './resume-point.ts';

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
  readonly resumePoint: ResumePointChange;
}

/** The values after a chain of checkpoints, oldest first, beginning at the input or at the values `before` it. */
export function foldCheckpoints(
  chain: readonly Pick<Checkpoint, 'changes'>[],
  before: Readonly<Record<string, Json>> = {},
): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = { ...before };
  const owned = new OwnedLists();
  for (const { changes } of chain) {
    for (const [channel, change] of Object.entries(changes))
      values[channel] = applyChange(values[channel] ?? null, change, owned);
  }
  return values;
}

function applyChange(value: Json, change: ChannelChange, owned: OwnedLists): Json {
  return 'set' in change ? change.set : owned.extend(isJsonList(value) ? value : [], change.append);
}
