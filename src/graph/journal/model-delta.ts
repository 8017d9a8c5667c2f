import type { NodePath } from '../run/ids.ts';
import type { Json } from '../values/json.ts';

/**
 * A piece of a model's answer while the model still writes it. It is not part of any history: a delta may be lost, and
 * only the recorded result of the call counts.
 */
export interface ModelDelta {
  readonly node: string;
  /** The nodes around the node's graph, outermost first; absent in the run's own graph. */
  readonly path?: NodePath;
  readonly visit: number;
  /** 1 for the first attempt. The deltas of a later attempt replace those of earlier ones. */
  readonly attempt: number;
  readonly callKey: string;
  /** Counts from 0 in each attempt, without gaps. */
  readonly index: number;
  readonly text: string;
}

/**
 * What the code of a tool or function has reported while it works. Like a delta, it is not part of any history: it may be
 * lost, and the recorded result of the call replaces it.
 */
export interface CallProgress extends Pick<ModelDelta, 'node' | 'path' | 'visit' | 'attempt' | 'callKey'> {
  /** The name of the tool or function. */
  readonly tool: string;
  readonly value: Json;
}

/** What readers get of a call before its result. */
export type LiveUpdate = ModelDelta | CallProgress;

export function isProgress(update: LiveUpdate): update is CallProgress {
  return 'value' in update;
}
