import type { Json } from '../values/json.ts';

/** The fields that a node of any type may have. */
export interface CommonFields {
  readonly description?: string;
  readonly write?: WriteDefinition;
  readonly deadline?: string;
  readonly onError?: OnErrorDefinition;
  readonly maxVisits?: number;
  readonly defer?: boolean;
}

/** The fields that every node with calls may have. */
export interface CallFields extends CommonFields {
  readonly retry?: RetryDefinition;
  readonly timeout?: string;
}

/** `"channel"` takes the whole result; an object maps channels to templates over `result` and `state`. */
export type WriteDefinition = string | Readonly<Record<string, Json>>;

export type OnErrorDefinition = 'intervene' | { readonly to: string; readonly write?: Readonly<Record<string, Json>> };

export interface RetryDefinition {
  readonly maxAttempts?: number | undefined;
  readonly initialInterval?: string | undefined;
  readonly backoffCoefficient?: number | undefined;
  readonly maxInterval?: string | undefined;
  readonly nonRetryable?: readonly string[] | undefined;
}
