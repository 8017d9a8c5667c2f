import type { RunError } from '../values/errors.ts';
import type { ToolCallRequest } from './effect.ts';
import { taskKey, interventionId } from './ids.ts';
import type { TaskReference } from './ids.ts';

/** What the intervention is named by that an undo in doubt waits for: the call that it takes back, within its run. */
export function unknownCompensationId({ task: { path = [], node, visit, index } }: CompensationCall): string {
  return `${interventionId(path, { key: taskKey(node, index), visit }, null)}:undo`;
}

/** A call that has been made, and the one that undoes it, or why there can be none. */
export type Compensation = CompensationCall | ImpossibleCompensation;

export interface CompensationCall {
  readonly key: string;
  readonly task: TaskReference;
  readonly request: ToolCallRequest;
  /** How often a person has ordered it again. */
  readonly takeover?: number;
}

export interface UnknownCompensation {
  readonly compensation: CompensationCall;
  readonly error: RunError;
  /** RFC 3339. */
  readonly since: string;
}

export interface ImpossibleCompensation {
  readonly key: string;
  readonly task: TaskReference;
  readonly problem: RunError;
}
