import type { RunError } from '../values/errors.ts';
import type { ToolCallRequest } from './effect.ts';
import type { TaskReference } from './ids.ts';

/** The call that compensates a completed one, or the reason why it is impossible. */
export type Compensation = CompensationCall | ImpossibleCompensation;

export interface CompensationCall {
  readonly key: string;
  readonly task: TaskReference;
  readonly request: ToolCallRequest;
  /** The number of times that a person has ordered it again. */
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
