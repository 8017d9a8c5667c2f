import type { ApiErrorCode } from '../../src/api/http/errors.ts';
import type { FailureText } from './run-errors.ts';

const problem = (cause: string, remedy: string): FailureText => ({ cause, remedy });

/** Every problem that the API answers with. It compiles only if none is missing. */
export const PROBLEMS: Readonly<Record<ApiErrorCode, FailureText>> = {
  MALFORMED_JSON: problem('The body is no JSON in UTF-8, or deeper than 100 levels.', 'The detail names the place.'),
  INVALID_CURSOR: problem('The cursor belongs to another list, or to other filters.', 'Begin again without a cursor.'),
  INVALID_EVENT_ID: problem(
    '`Last-Event-ID` is none of this stream, or it is too old.',
    'Send the id of the last event as it came, or begin anew without one.',
  ),
  INVALID_IDEMPOTENCY_KEY: problem('The key is empty or longer than 255 characters.', 'Send another key.'),
  UNAUTHENTICATED: problem('There is no token, or it is not accepted.', 'The detail says why.'),
  FORBIDDEN: problem("The token's roles do not grant the permission.", 'The detail names the permission.'),
  TENANT_SUSPENDED: problem(
    'An administrator has suspended the tenant, so that it starts no runs.',
    'The detail has the reason. Send it again with the same key once the tenant is admitted.',
  ),
  SWITCHED_OFF: problem(
    'An administrator has switched the graph off, so that no run of it begins.',
    'The detail has the reason. Send it again with the same key once it is on.',
  ),
  NOT_AN_APPROVER: problem(
    'The policy of the approval does not let the caller decide, or go past it.',
    'The detail says who may.',
  ),
  NOT_FOUND: problem('There is no such path, graph or version.', 'Check the path; other tenants are not seen.'),
  UNKNOWN_GRAPH: problem(
    'No graph of this name is published in the tenant, or the version that is meant is unpublished.',
    'Publish it.',
  ),
  UNKNOWN_RUN: problem('The tenant has no run of this id.', 'Check the id and the tenant of the token.'),
  UNKNOWN_CHECKPOINT: problem('The run has no such checkpoint.', 'Take one of `GET /api/runs/{id}/checkpoints`.'),
  UNKNOWN_THREAD: problem('The tenant has no thread of this name.', 'A thread begins with its first run.'),
  UNKNOWN_APPROVAL: problem(
    'There is no such approval, or the run has none that is pending.',
    'Look into `GET /api/approvals`.',
  ),
  METHOD_NOT_ALLOWED: problem('The path does not take this method.', '`Allow` names those that it takes.'),
  NOT_ALLOWED_NOW: problem(
    'The run is in a state that does not allow this, or has come to it since it was read.',
    'Read the run; the detail says what it waits for.',
  ),
  THREAD_BUSY: problem(
    'Another run of the thread is not over; with `onBusy: "enqueue"` or `"interrupt"`, 1,000 runs wait in its queue.',
    'Wait; `onBusy: "enqueue"` waits for you while the queue has room.',
  ),
  ALREADY_DECIDED: problem(
    'The approval is decided, or the caller has decided before. A decision without `approvalId` means the first approval of the run.',
    'The detail says by whom, and what is pending now; decide that by its id.',
  ),
  APPROVAL_CANCELED: problem(
    'The approval was withdrawn: its run was canceled, or it shows something else by now.',
    'Look for the new one in the inbox.',
  ),
  BUFFER_FULL: problem('The run keeps 100 events for later waits already.', 'Send the event when a `wait` is there.'),
  TOO_MANY_KEPT: problem('The tenant has as many of these as it may have.', 'Delete one; the detail names the limit.'),
  REQUEST_IN_PROGRESS: problem('A request with the same key is still at work.', 'Send it again after `Retry-After`.'),
  APPROVAL_EXPIRED: problem(
    'The time for the decision was over when it was made.',
    'Retry the node; people are asked again.',
  ),
  STALE: problem('The state has changed since the `ETag`.', 'Read the state again, then edit.'),
  APPROVAL_CHANGED: problem(
    'The approval shows something else than the digest, or than was read when the decision came: somebody has changed its arguments.',
    'Read it again, then decide.',
  ),
  BODY_TOO_LARGE: problem('The body is over 1 MiB, or over 4 MiB with a graph.', 'Send less.'),
  GRAPH_TOO_LARGE: problem(
    'The definition is over 1 MiB or has over 2,000 nodes, or it refers to over 200 graphs, or to over 8 MiB of them.',
    'Split it into subgraphs; refer to fewer or smaller graphs.',
  ),
  UNSUPPORTED_MEDIA_TYPE: problem('The body is not `application/json` in UTF-8.', 'Set `Content-Type`.'),
  INVALID_REQUEST: problem(
    'A parameter or a field is missing, unknown or wrong.',
    '`issues` has a JSON Pointer for each.',
  ),
  INVALID_GRAPH: problem('The definition has errors.', '`issues` has all of them; see the table above.'),
  INVALID_INPUT: problem("The input does not fit the graph's channels.", '`issues` has a JSON Pointer for each.'),
  MISSING_INPUT: problem('A channel of `required` has no value in the input.', '`issues` names them.'),
  INVALID_ARGS: problem(
    'The changed arguments break `argsSchema`, or the parameters of the tool.',
    '`issues` has the place.',
  ),
  INVALID_VALUES: problem('The values do not fit their channels or the `decisionSchema`.', '`issues` has the place.'),
  LIMIT_TOO_LOOSE: problem('A limit of a run is looser than that of its graph.', 'Lower it.'),
  REASON_REQUIRED: problem('The policy asks for a reason.', 'Send `reason`.'),
  APPROVAL_ID_REQUIRED: problem('Several approvals of the run are pending.', 'Send `approvalId`.'),
  UNKNOWN_INTERVENTION: problem(
    'The named node does not wait for an intervention.',
    'Take `node` or `id` of `waitingFor`.',
  ),
  INTERVENTION_ID_REQUIRED: problem('Several nodes or calls wait for an intervention.', 'Send `node` or `id`.'),
  IDEMPOTENCY_KEY_REUSED: problem(
    'The key came with another body, or by a caller who sees other values.',
    'Take a new key for a new request.',
  ),
  TOO_EXPENSIVE: problem('The definition takes more than 10 s or too much memory to look at.', 'Make it smaller.'),
  PRECONDITION_REQUIRED: problem('An edit needs `If-Match`.', 'Send the `ETag` of the state.'),
  TOO_MANY_REQUESTS: problem(
    'Too many requests wait for runs, or for checks of definitions.',
    'Send it again after `Retry-After`.',
  ),
  TOO_SOON: problem('Somebody was reminded of the approval not long ago.', 'Send it again after `Retry-After`.'),
  QUOTA_REACHED: problem(
    'The tenant has started as many runs in this minute, or spent as much on this day, as it may.',
    'Send it again after `Retry-After`.',
  ),
  INTERNAL: problem('A fault of the server.', 'The detail has the id of the request; the log has the error.'),
  UNAVAILABLE: problem(
    'The database or Temporal does not answer.',
    'Send it again with the same `Idempotency-Key`. With `mayTakeEffect` it may have been done.',
  ),
};
