import type { RunError } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import { hiddenOfNode } from './hide-answer.ts';
import type { NodePlace } from './hide-answer.ts';
import { hideArgs } from './hide-approval.ts';
import { hideMessages, hideStack } from './hide-error.ts';
import { REDACTED } from './mask.ts';
import type { NodeRedaction, Redaction } from './redaction.ts';

/** What people see of a call. */
export interface CallParts {
  /** Arguments of a tool or function, fields of a node type, the prompt of a model; `null`: none is known. */
  readonly request: Json;
  readonly reply: Json;
  readonly error: RunError | null;
  readonly failedAttempts: readonly { readonly at: string; readonly error: RunError }[];
}

interface CallPlace extends NodePlace {
  readonly kind: 'model' | 'tool' | 'function' | 'node';
  /** The call undoes another one. */
  readonly undoes: boolean;
}

/** Hides what a call was given and has answered, where its node has anything to hide. */
export function hideCall<Parts extends CallParts>(parts: Parts, place: CallPlace, redaction: Redaction): Parts {
  const hidden = hiddenOfNode(redaction, place);
  const { request, reply, error, failedAttempts } = parts;
  const hideError = (one: RunError): RunError =>
    hidden.error === true || (place.undoes && hidden.undone === true) ? hideMessages(one) : hideStack(one, redaction);
  return {
    ...parts,
    request: hideRequest(request, place, hidden),
    reply: reply !== null && isReplyHidden(hidden, place) ? REDACTED : reply,
    error: error && hideError(error),
    failedAttempts: failedAttempts.map((attempt) => ({ ...attempt, error: hideError(attempt.error) })),
  };
}

/** Masks say which parts of a tool's arguments are hidden. A prompt has no masks, so it is hidden as a whole. */
function hideRequest(request: Json, { kind }: CallPlace, hidden: NodeRedaction): Json {
  if (request === null) return null;
  if (kind === 'tool') return hideArgs(request, [hidden]);
  return Object.keys(hidden).length > 0 ? REDACTED : request;
}

function isReplyHidden({ calls, result, undone }: NodeRedaction, { undoes }: CallPlace): boolean {
  return undoes ? undone === true : calls === true || result === true;
}
