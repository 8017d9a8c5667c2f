import { isNumber, isObjectOf, isText, orAbsent } from './guards.ts';
import { abbreviate } from './text.ts';

/** Codes of failures while a run executes (docs/reference/errors.md). */
export type RunErrorCode =
  | 'EXPRESSION_FAILED'
  | 'INVALID_ROUTE'
  | 'INVALID_CHOICE'
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
  | 'INVALID_ARGS'
  | 'APPROVAL_EXPIRED'
  | 'APPROVAL_REJECTED'
  | 'APPROVAL_REQUIRED'
  | 'MAX_VISITS_EXCEEDED'
  | 'ABORTED'
  | 'REPLAY_DIVERGED'
  | 'CANCELED'
  | 'INTERNAL';

/** The error of a run or a node, as in the API and the event history. */
export interface RunError {
  readonly code: RunErrorCode;
  readonly message: string;
  readonly node?: string;
  readonly step?: number;
  readonly attempts?: number;
  readonly cause?: ErrorCause;
}

/** The reason of an error; a type, not an interface, so that it is JSON. */
export type ErrorCause = {
  readonly code: string;
  readonly message: string;
  /** The stack position at which configured code has thrown: one frame a line, the innermost first. */
  readonly stack?: string;
};

/**
 * Accepts any text, because a later version may have more codes, and a replay must read a failure as it was first read.
 */
const isErrorCode = (value: unknown): value is RunErrorCode => isText(value);

export const isRunError = isObjectOf<RunError>({
  code: isErrorCode,
  message: isText,
  node: orAbsent(isText),
  step: orAbsent(isNumber),
  attempts: orAbsent(isNumber),
  cause: orAbsent(isObjectOf<ErrorCause>({ code: isText, message: isText, stack: orAbsent(isText) })),
});

/** @returns the cause of an error, unless it only contains the stack position of the error itself */
export function otherCause({ cause }: RunError): ErrorCause | null {
  return cause && cause.stack === undefined ? cause : null;
}

/** Returns the frame of configured code that has thrown, such as `at execute (tools/pay.ts:3:9)`; `null` if unknown. */
export function throwingFrame({
  cause,
}: {
  readonly cause?: { readonly stack?: string | undefined } | undefined;
}): string | null {
  const [frame = ''] = cause?.stack?.split('\n') ?? [];
  return frame === '' ? null : frame.trim();
}

/** True if no record tells whether a failed call was executed. A person decides how its task continues. */
export function isUnknownOutcome({ code }: Pick<RunError, 'code'>): boolean {
  return code === 'UNKNOWN_OUTCOME';
}

/** True for a failure outside a node's own work. No `onError` catches it, and no model receives it. */
export function failsTheRun({ code }: Pick<RunError, 'code'>): boolean {
  return FAILS_THE_RUN.has(code);
}

const FAILS_THE_RUN: ReadonlySet<RunErrorCode> = new Set([
  'BUDGET_EXCEEDED',
  'DEADLINE_EXCEEDED',
  'CANCELED',
  'ABORTED',
  'INTERNAL',
]);

/** Limit in characters of messages, which may quote outside data. Longer ones are cut. */
export const MAX_MESSAGE = 1_000;

/**
 * The error of the graph layer. `advance` and `compileGraph` convert it to data; callers distinguish errors by their
 * `code`.
 */
export class GraphError extends Error {
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
    super(abbreviate(message, MAX_MESSAGE), options);
    this.name = 'GraphError';
    this.code = code;
  }
}

/** Converts any thrown value to the error of a run. Everything except a `GraphError` is `INTERNAL`. */
export function toRunError(thrown: unknown): RunError {
  if (thrown instanceof GraphError) return { code: thrown.code, message: thrown.message };
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { code: 'INTERNAL', message: abbreviate(message, MAX_MESSAGE) };
}

/** True if a failed call was never executed: it was canceled or refused before its first attempt. */
export function wasNeverExecuted({ callFailed, error: { code, attempts } }: TaskFailure): boolean {
  return callFailed && (attempts === 0 || REFUSED_BEFORE.has(code));
}

const REFUSED_BEFORE: ReadonlySet<RunErrorCode> = new Set([
  'CANCELED',
  'TOOL_NOT_FOUND',
  'INVALID_TOOL_ARGUMENTS',
  'APPROVAL_REQUIRED',
]);

/** The failure of a node task. */
export interface TaskFailure {
  readonly error: RunError;
  /**
   * True if a call is known to have failed, so a retry gets a new key. Otherwise a retry keeps the key, and finds what
   * the call did.
   */
  readonly callFailed: boolean;
  /** True if a person decides how the node continues, whatever its `onError` says. */
  readonly intervenes?: true;
  /** The tokens used by a model whose answer is the failure. */
  readonly usage?: TokenUsage;
}

/** The tokens of a model's answer. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The failure of a task that takes effect after its open calls return. */
export interface DeferredFailure extends TaskFailure {
  /**
   * Set if a person has given the task up, so its `onError` does not apply; absent if the task has failed by itself.
   */
  readonly givenUp?: GivenUp;
}

interface GivenUp {
  /** The number of calls whose outcome was unknown at that time. The person has given them up as well. */
  readonly unknownCount: number;
}
