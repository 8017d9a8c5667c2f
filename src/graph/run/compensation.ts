import type { RunError } from '../values/errors.ts';
import type { ToolCallRequest } from './effect.ts';
import { taskKey, interventionId } from './ids.ts';
import type { TaskPlace } from './ids.ts';

/** What the intervention is named by that an undo in doubt waits for: the call that it takes back, within its run. */
export function doubtId({ place: { path = [], node, visit, index } }: Undo): string {
  return `${interventionId(path, { key: taskKey(node, index), visit }, null)}:undo`;
}

/** A call that has been made, and the one that undoes it, or why there can be none. */
export type Compensation = Undo | NoUndo;

export interface Undo {
  readonly key: string;
  readonly place: TaskPlace;
  readonly request: ToolCallRequest;
  /** How often a person has ordered it again. */
  readonly order?: number;
}

export interface UndoInDoubt {
  readonly undo: Undo;
  readonly error: RunError;
  /** RFC 3339. */
  readonly since: string;
}

export interface NoUndo {
  readonly key: string;
  readonly place: TaskPlace;
  readonly problem: RunError;
}
