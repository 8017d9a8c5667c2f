import type { ChannelChange } from '../channels/apply-writes.ts';
import { OwnedLists } from '../channels/reducer.ts';
import { isJsonList } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import type { ResumePointChange } from './resume-point.ts';

/**
 * A saved point of a run. It holds the changes since its parent, so that storage grows with the writes of a run only.
 */
export interface Checkpoint {
  readonly id: string;
  readonly parentId: string | null;
  /** The number of its `checkpoint.saved` event. */
  readonly seq: number;
  /** The superstep whose result it is; -1: the input. */
  readonly step: number;
  readonly source: 'input' | 'loop' | 'update' | 'fork';
  /** The nodes that run next. */
  readonly next: readonly string[];
  readonly createdAt: string;
  readonly changes: Readonly<Record<string, ChannelChange>>;
  readonly resumePoint: ResumePointChange;
}

/** Folds a chain of checkpoints, oldest first, into channel values. `before` holds the values before the chain. */
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
