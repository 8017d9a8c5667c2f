import type { Json } from '../values/json.ts';

/** The fields that a node of any type may have. */
export interface CommonFields {
  /** A text for people. */
  readonly description?: string;
  /** A channel that takes the whole result, or a template for each channel, over `result` and `state`. */
  readonly write?: WriteDefinition;
  /** The time limit of all attempts together, or of a graph inside. It stands still while only people are awaited. */
  readonly deadline?: string;
  /** The node to continue with after a failure, or "intervene": a person decides. Absent: the run fails. */
  readonly onError?: OnErrorDefinition;
  /** The maximum of visits of the node. One more visit is its failure. */
  readonly maxVisits?: number;
  /** True: the node runs only when no other node is left to run. */
  readonly defer?: boolean;
}

/** The fields that every node with calls may have. */
export interface CallFields extends CommonFields {
  /** The number of attempts of a call, and the time between them. */
  readonly retry?: RetryDefinition;
  /** The time limit of one attempt: "30s", "5m", "2h". */
  readonly timeout?: string;
}

/** `"channel"` takes the whole result; an object maps channels to templates over `result` and `state`. */
export type WriteDefinition = string | Readonly<Record<string, Json>>;

export type OnErrorDefinition = 'intervene' | DetourDefinition;

/** The node to continue with after an error, and templates over `error` and `state` for channels. */
export interface DetourDefinition {
  readonly to: string;
  readonly write?: Readonly<Record<string, Json>>;
}

export interface RetryDefinition {
  /** The number of attempts, the first one included; 5 by default. */
  readonly maxAttempts?: number | undefined;
  /** The time before the second attempt; "1s" by default. */
  readonly initialInterval?: string | undefined;
  /** The factor by which the time grows from attempt to attempt; 2 by default. */
  readonly backoffCoefficient?: number | undefined;
  /** The longest time between two attempts; "60s" by default. */
  readonly maxInterval?: string | undefined;
  /** Codes of failures after which there is no further attempt. */
  readonly nonRetryable?: readonly string[] | undefined;
}
