import { calleeOf } from '../../graph/run/index.ts';
import type { CallRequest } from '../../graph/run/index.ts';
import { isJsonList, isJsonObject, jsonSize, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

/** The bytes of a request that the ledger keeps for people. */
export const MAX_KEPT_BYTES = 65_536;

/** The request of a call, for people who want to know what was sent. */
export interface KeptRequest {
  /** Replaces what is kept, once more is known: the messages that fit. */
  readonly keep: (sent: Json) => void;
  /** @returns `null`: nothing was sent yet, or it is too large */
  readonly kept: () => Json;
}

/** Opens what is kept of a request. Of a model's, nothing is known before its messages are fitted. */
export function openKeptRequest(request: CallRequest): KeptRequest {
  let kept: Json = request.kind === 'model' ? null : toKept(argsOf(request));
  return {
    keep: (sent) => void (kept = toKept(sent)),
    kept: () => kept,
  };
}

/** What the code of a call is given: arguments of a tool or function, fields of a node. */
function argsOf(request: Exclude<CallRequest, { readonly kind: 'model' }>): Json {
  const args = request.kind === 'node' ? request.config : request.args;
  return { ...calleeOf(request), args };
}

/** Cuts a request to what the ledger keeps: of a prompt, the latest messages; of anything else that is too large, nothing. */
function toKept(sent: Json): Json {
  const whole = toJson(sent);
  if (jsonSize(whole) <= MAX_KEPT_BYTES) return whole;
  const messages = isJsonObject(whole) ? whole['messages'] : undefined;
  return isJsonObject(whole) && isJsonList(messages) ? withLatest(whole, messages) : null;
}

function withLatest(request: Readonly<Record<string, Json>>, messages: readonly Json[]): Json {
  let left = MAX_KEPT_BYTES - jsonSize({ ...request, messages: [], omitted: messages.length });
  const firstKept = messages.findLastIndex((message) => (left -= jsonSize(message) + 1) < 0) + 1;
  return left < 0 && firstKept === messages.length
    ? null
    : { ...request, messages: messages.slice(firstKept), omitted: firstKept };
}
