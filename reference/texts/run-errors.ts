import type { RunErrorCode } from '../../src/graph/values/errors.ts';

/** A failure: what it means, and what its reader does about it. */
export interface FailureText {
  readonly cause: string;
  readonly remedy: string;
}

/** A failure of a run or a node. */
interface RunFailureText extends FailureText {
  /** `caught`: `onError` counts. `ends`: it fails the run, whatever the node says. `waits`: a person decides. */
  readonly onError: 'caught' | 'ends' | 'waits';
}

/** Every failure while a run executes. It compiles only if none is missing. */
export const RUN_ERRORS: Readonly<Record<RunErrorCode, RunFailureText>> = {
  EXPRESSION_FAILED: {
    onError: 'caught',
    cause:
      'An expression can not be evaluated: a missing member, a wrong type, or too much work. One of an edge fails the run.',
    remedy: 'The message names the field and the expression. Use `?.` and `orValue` for members that may be missing.',
  },
  INVALID_ROUTE: {
    onError: 'ends',
    cause: 'The value of `route` is in no path, and the edge has no `default`.',
    remedy: 'Add the path or a `default`, then fork the run with the new graph, or replan it.',
  },
  INVALID_CHOICE: {
    onError: 'caught',
    cause: '`model` chooses a name that is not among `models`, or `activeTools` one that is not among `tools`.',
    remedy: 'List the name, or correct the expression.',
  },
  INVALID_GOTO: {
    onError: 'caught',
    cause: 'A function names a node in `goto` that `mayGoto` does not list, or replans without a node.',
    remedy: 'List the node in `mayGoto`.',
  },
  INVALID_CONCURRENT_GRAPH_UPDATE: {
    onError: 'ends',
    cause: 'Two nodes, or two elements of a `forEach`, write a `replace` channel in one superstep.',
    remedy: 'Give the channel a reducer such as `append`, or let the nodes run one after the other.',
  },
  CHANNEL_SCHEMA_VIOLATION: {
    onError: 'ends',
    cause: 'A channel would hold a value that its `schema` or reducer refuses.',
    remedy:
      'Correct the value by an edit of the state and retry. Where people or events bring the value, the node fails and `onError` counts.',
  },
  UNKNOWN_MESSAGE: {
    onError: 'ends',
    cause: 'A write removes a message whose id the channel does not have.',
    remedy: 'Remove only ids that are there; `"*"` removes all.',
  },
  GRAPH_RECURSION_LIMIT: {
    onError: 'ends',
    cause: 'The graph wants more supersteps than `maxSteps`.',
    remedy:
      'Look for a loop without an end; else raise `limits.maxSteps`. A retry may raise the limit up to the graph’s.',
  },
  DEADLINE_EXCEEDED: {
    onError: 'ends',
    cause: 'The `limits.deadline` of the run is over. Time in which it only waits for people does not count.',
    remedy: 'Retry the run, with a longer deadline if the graph allows one: the clock begins anew.',
  },
  BUDGET_EXCEEDED: {
    onError: 'ends',
    cause: 'The next call would exceed `maxTokens`, `maxCostUsd` or `maxToolCalls`.',
    remedy: 'The message names the budget and what was used. Retry with higher `limits`; what is done is kept.',
  },
  MODEL_FAILED: {
    onError: 'caught',
    cause:
      'The model, and each of its fallbacks, has failed for good: refused, out of quota, unreachable, or no usable answer.',
    remedy: '`cause.code` says which. Add a fallback to `model`, or more attempts to `retry`.',
  },
  OUTPUT_SCHEMA_VIOLATION: {
    onError: 'caught',
    cause: 'The answer of the model breaks `output`, also after two corrections.',
    remedy: 'Make the schema easier, or describe its fields; models read `description`.',
  },
  TOOL_FAILED: {
    onError: 'caught',
    cause:
      'The tool answered with an error that is not tried again, its attempts are used up, or the starter lacks a role.',
    remedy: '`cause` and the message have the answer of the other side.',
  },
  TOOL_NOT_FOUND: {
    onError: 'caught',
    cause: 'The worker has no tool of this name, or the node may not call it.',
    remedy: 'Put the tool into the configuration of all workers.',
  },
  INVALID_TOOL_ARGUMENTS: {
    onError: 'caught',
    cause: 'The arguments break the `parameters` of the tool, or its own schema refuses them or makes no JSON of them.',
    remedy: 'The message names the place. Nothing was called.',
  },
  FUNCTION_FAILED: {
    onError: 'caught',
    cause: 'A function or a node type threw an error, returned a broken command, or is not registered.',
    remedy: 'The message and the log of the worker have the error.',
  },
  TIMEOUT: {
    onError: 'caught',
    cause: 'A `timeout` or `deadline` of a node is over.',
    remedy: 'Raise it, or let `onError` lead on. An `unsafe` call is `UNKNOWN_OUTCOME` instead.',
  },
  UNKNOWN_OUTCOME: {
    onError: 'waits',
    cause: 'No record says if an `unsafe` call was made: a worker died, or the connection broke.',
    remedy: 'Look at the other side, then `retry` (the same key), `skip` with the output, or `fail`.',
  },
  BLOCKED_URL: {
    onError: 'caught',
    cause: 'The address is private, or not one of `http` and `https`.',
    remedy: 'Name the host in `http.allow`, as `host:port`, if tools may reach it.',
  },
  PAYLOAD_TOO_LARGE: {
    onError: 'caught',
    cause:
      'A value is larger than the [limits](limits.md) allow: a result, a request, a channel, all channels together.',
    remedy: 'Keep large things elsewhere, and their address in the state.',
  },
  INVALID_ARGS: {
    onError: 'caught',
    cause: 'What an `approval` node was about to ask breaks its own `argsSchema`: nobody is asked.',
    remedy: 'Correct the state, and retry.',
  },
  APPROVAL_EXPIRED: {
    onError: 'caught',
    cause: 'No decision came in time, and `onTimeout` is `"fail"`, or the call of a tool waited for it.',
    remedy: 'Retry: people are asked again.',
  },
  APPROVAL_REJECTED: {
    onError: 'caught',
    cause: 'A person rejected, and `onReject` is `"fail"`, or the call of a tool waited for it.',
    remedy: 'The message has the reason.',
  },
  APPROVAL_REQUIRED: {
    onError: 'caught',
    cause: 'The tool asks for an approval by now that the run, which began earlier, has not asked for.',
    remedy: 'Start the run anew, with the terms of today.',
  },
  MAX_VISITS_EXCEEDED: {
    onError: 'caught',
    cause: 'The node has run `maxVisits` times.',
    remedy: 'Let `onError` leave the loop.',
  },
  ABORTED: {
    onError: 'ends',
    cause:
      'A function ended the run (`control: "abort"`), or its workflow was terminated, deleted or reset in Temporal.',
    remedy: 'The message has the reason. A run without a workflow can only be forked.',
  },
  REPLAY_DIVERGED: {
    onError: 'ends',
    cause: 'Of a replay: the graph does not do what was recorded.',
    remedy: '`divergence` has the first event that differs.',
  },
  CANCELED: {
    onError: 'ends',
    cause: 'The run, or the node around, was canceled.',
    remedy: '`error.cause` names what may have been done.',
  },
  INTERNAL: {
    onError: 'ends',
    cause: 'A fault of the engine, or a run that ends its worker again and again.',
    remedy: 'The log of the worker has the details. Please report it.',
  },
};
