/** What can go wrong while a run executes (specification, "Run-time codes"). */
export type RunErrorCode =
  | 'EXPRESSION_FAILED'
  | 'INVALID_ROUTE'
  | 'INVALID_GOTO'
  | 'INVALID_CONCURRENT_GRAPH_UPDATE'
  | 'CHANNEL_SCHEMA_VIOLATION'
  | 'UNKNOWN_MESSAGE'
  | 'GRAPH_RECURSION_LIMIT'
  | 'DEADLINE_EXCEEDED'
  | 'BUDGET_EXCEEDED'
  | 'MODEL_FAILED'
  | 'OUTPUT_SCHEMA_VIOLATION'
  | 'TOOL_FAILED'
  | 'TOOL_NOT_FOUND'
  | 'INVALID_TOOL_ARGUMENTS'
  | 'FUNCTION_FAILED'
  | 'TIMEOUT'
  | 'UNKNOWN_OUTCOME'
  | 'BLOCKED_URL'
  | 'PAYLOAD_TOO_LARGE'
  | 'APPROVAL_EXPIRED'
  | 'APPROVAL_REJECTED'
  | 'MAX_VISITS_EXCEEDED'
  | 'ABORTED'
  | 'REPLAY_DIVERGED'
  | 'CANCELED'
  | 'INTERNAL';

/** The error of a run or of a node, as the API and the history show it. */
export interface RunError {
  readonly code: RunErrorCode;
  readonly message: string;
  readonly node?: string;
  readonly step?: number;
  readonly attempts?: number;
  readonly cause?: { readonly code: string; readonly message: string };
}

/** In characters. Longer messages of other systems are cut: they end up in histories. */
export const MAX_MESSAGE = 1_000;

/** Thrown inside the graph layer only; `advance` and `compileGraph` turn it into data. Recognize it by `code`. */
export class GraphError extends Error {
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GraphError';
    this.code = code;
  }
}

/** Any thrown value as the error of a run; what the graph layer did not foresee is `INTERNAL`. */
export function toRunError(thrown: unknown): RunError {
  if (thrown instanceof GraphError) return { code: thrown.code, message: thrown.message };
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { code: 'INTERNAL', message };
}

export interface TaskFailure {
  readonly error: RunError;
  /** True when a call is known to have failed: a retry makes it under a new key. Otherwise a retry asks under the same key, and finds what was done. */
  readonly callFailed: boolean;
}
